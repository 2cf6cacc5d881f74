package self

import (
	"runtime"
	"syscall"
	"testing"
)

// TestSyscalls: a goroutine whose system call, or whose C, sleeps is asleep; one that waits for a channel, or that
// runs, is not.
func TestSyscalls(t *testing.T) {
	eye := NewEye()
	if eye.Asleep(Mark{}) || eye.Asleep(Current()) {
		t.Error("nobody, or who runs, is asleep")
	}
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		return
	}
	var pipe [2]int
	if err := syscall.Pipe(pipe[:]); err != nil {
		t.Fatal(err)
	}
	let, begun := make(chan bool), make(chan Mark)
	ended := make(chan bool)
	go func() {
		begun <- Current()
		syscall.Read(pipe[0], make([]byte, 1))
		close(ended)
		<-let
	}()
	m := <-begun
	for eye.State(m) != InSyscall || !eye.Asleep(m) { // it is about to
		runtime.Gosched()
	}
	syscall.Write(pipe[1], make([]byte, 1))
	<-ended
	for eye.State(m) != Waiting {
		runtime.Gosched()
	}
	if eye.Asleep(m) {
		t.Error("who waits for a channel is asleep in a system call")
	}
	close(let)
}
