package trial

import "syscall"

// ownGroup starts a child in a process group of its own, which an interrupt at the console does not reach.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
