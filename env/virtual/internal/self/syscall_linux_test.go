package self

import (
	"runtime"
	"syscall"
	"testing"
)

// TestSyscalls: a goroutine that sleeps in a system call or in C is asleep. One that waits for a channel, or that
// runs, is not.
func TestSyscalls(t *testing.T) {
	eye := NewInspector()
	if eye.Asleep(Mark{}) || eye.Asleep(Current()) {
		t.Error("no goroutine, or the running one, is asleep")
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
		t.Error("a goroutine that waits for a channel is asleep in a system call")
	}
	close(let)
}
