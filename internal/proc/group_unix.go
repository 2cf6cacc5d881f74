//go:build unix

package proc

import (
	"os"
	"syscall"
)

// OwnGroup returns attributes that start a child in a process group of its own, before it executes the program.
// Signals of the terminal reach only the parent, and the child can be ended with all processes that it starts.
func OwnGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// EndGroup kills a child that was started by OwnGroup, and its process group. The child may have ended already.
func EndGroup(child *os.Process) { syscall.Kill(-child.Pid, syscall.SIGKILL) }

// EndOwnGroup kills the process group of this process, and so does not return. It does nothing if this process
// does not lead its group, as after a start by hand: the group then has processes of others.
func EndOwnGroup() {
	if syscall.Getpgrp() == os.Getpid() {
		syscall.Kill(0, syscall.SIGKILL)
	}
}

// AskStacks asks a Go program to print the stacks of all its goroutines and exit.
func AskStacks(child *os.Process) { child.Signal(syscall.SIGQUIT) }

// AskEnd asks a child that was started by OwnGroup, and its process group, to terminate.
func AskEnd(child *os.Process) { syscall.Kill(-child.Pid, syscall.SIGTERM) }

// Trusted reports whether a file belongs to the user of this process or to root.
func Trusted(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && (stat.Uid == 0 || int(stat.Uid) == os.Geteuid())
}

// Owned reports whether a file belongs to the user of this process.
func Owned(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
