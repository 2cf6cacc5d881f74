//go:build !linux

package remote

import "syscall"

// attributes sets nothing: the server reads the end of its input when its parent ends.
func attributes() *syscall.SysProcAttr { return nil }
