package remote

import "syscall"

// attributes lets the kernel kill a server when its parent is killed, also one that is stopped and cannot read the end
// of its input. The server stays in the process group of its parent, which ends with the trial.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
