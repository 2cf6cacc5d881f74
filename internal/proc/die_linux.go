package proc

import "syscall"

// DieWithParent is OwnGroup for a child that knows nothing of us: the kernel ends it when the thread that started it
// does, as where the parent is killed. Threads of a Go program end with it alone, but for locked ones.
func DieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
