package proc

import "syscall"

// DieWithParent is OwnGroup for a child that does not watch its parent. The kernel kills the child when the
// thread that started it ends, such as when the parent is killed. Threads of a Go program end only with the
// program, except locked ones.
func DieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
