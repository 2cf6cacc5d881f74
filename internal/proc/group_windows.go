package proc

import (
	"os"
	"syscall"
)

// OwnGroup returns attributes that start a child in a process group of its own, which an interrupt at the
// console does not reach.
func OwnGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// EndGroup kills a child. Its own children continue: on Windows a process group only matters to the console.
func EndGroup(child *os.Process) { child.Kill() }

// EndOwnGroup does nothing on Windows.
func EndOwnGroup() {}

// AskStacks kills the child, because Windows has no signal that asks for stacks.
func AskStacks(child *os.Process) { child.Kill() }

// DieWithParent is OwnGroup: on Windows a child outlives a killed parent.
func DieWithParent() *syscall.SysProcAttr { return OwnGroup() }

// AskEnd does nothing on Windows; EndGroup follows.
func AskEnd(*os.Process) {}

// Trusted always returns true, because files of Windows have lists of rights instead.
func Trusted(os.FileInfo) bool { return true }

// Owned always returns true, because each user has a temporary directory of their own on Windows.
func Owned(os.FileInfo) bool { return true }
