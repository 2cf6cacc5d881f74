package trial

import (
	"os"
	"syscall"
)

// ownGroup starts a child in a process group of its own, which an interrupt at the console does not reach.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// endGroup ends a child. What it started lives on: here a group is about the console alone.
func endGroup(child *os.Process) { child.Kill() }

// endOwnGroup does nothing here.
func endOwnGroup() {}
