//go:build unix

package proc

import (
	"os"
	"syscall"
)

// OwnGroup starts a child in a process group of its own, before it becomes the program: what is typed at
// the terminal is the parent's to decide, and the child can be ended with all that it starts.
func OwnGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// EndGroup ends a child that was started by OwnGroup, and whatever it started. The child may have ended.
func EndGroup(child *os.Process) { syscall.Kill(-child.Pid, syscall.SIGKILL) }

// EndOwnGroup does the same from within the child, and does not return then. A child that somebody else started,
// by hand, is in a group with others, who are none of its business.
func EndOwnGroup() {
	if syscall.Getpgrp() == os.Getpid() {
		syscall.Kill(0, syscall.SIGKILL)
	}
}

// AskStacks lets a Go program print the stacks of all its goroutines, and end.
func AskStacks(child *os.Process) { child.Signal(syscall.SIGQUIT) }

// AskEnd asks a child that was started by OwnGroup, and whatever it started, to end, as a shell does at hang-up.
func AskEnd(child *os.Process) { syscall.Kill(-child.Pid, syscall.SIGTERM) }

// Owned reports whether a file belongs to the user of this process.
func Owned(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
