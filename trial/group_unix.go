//go:build unix

package trial

import (
	"os"
	"syscall"
)

// ownGroup starts a child in a process group of its own, before it becomes the program: what is typed at
// the terminal is the parent's to decide, and the child can be ended with all that it starts.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// endGroup ends a child that was started by ownGroup, and whatever it started. The child may have ended.
func endGroup(child *os.Process) { syscall.Kill(-child.Pid, syscall.SIGKILL) }

// endOwnGroup does the same from within the child, and does not return then. A child that somebody else started,
// by hand, is in a group with others, who are none of its business.
func endOwnGroup() {
	if syscall.Getpgrp() == os.Getpid() {
		syscall.Kill(0, syscall.SIGKILL)
	}
}
