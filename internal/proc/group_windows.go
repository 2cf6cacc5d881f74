package proc

import (
	"os"
	"syscall"
)

// OwnGroup starts a child in a process group of its own, which an interrupt at the console does not reach.
func OwnGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// EndGroup ends a child. What it started lives on: here a group is about the console alone.
func EndGroup(child *os.Process) { child.Kill() }

// EndOwnGroup does nothing here.
func EndOwnGroup() {}

// AskStacks ends the child: here nobody can be asked.
func AskStacks(child *os.Process) { child.Kill() }

// DieWithParent is OwnGroup: a child outlives a parent that is killed.
func DieWithParent() *syscall.SysProcAttr { return OwnGroup() }

// AskEnd does nothing here: EndGroup follows.
func AskEnd(*os.Process) {}

// Owned reports whether a file belongs to the user of this process: here temporary directories are each user's own.
func Owned(os.FileInfo) bool { return true }
