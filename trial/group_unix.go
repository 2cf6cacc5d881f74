//go:build unix

package trial

import "syscall"

// ownGroup starts a child in a process group of its own: what is typed at the terminal is the parent's to
// decide, also while the child has not come to ignore it yet.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
