//go:build unix

package proc

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// heldStream is the file descriptor by which a keeper holds the standard error of the process that started it.
const heldStream = 3

// heldStreams returns a copy of the standard error of this process for a keeper. Whoever waits for the end of that
// stream, as the parent of a trial does, also waits for the keeper if this process is killed.
func heldStreams() []*os.File {
	fd, err := unix.FcntlInt(uintptr(syscall.Stderr), unix.F_DUPFD_CLOEXEC, heldStream)
	if err != nil {
		return nil
	}
	return []*os.File{os.NewFile(uintptr(fd), "standard error")}
}

// ownSession returns attributes that start a child in a session of its own, which no signal to a group of this session
// reaches.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
