package trial

import (
	"bufio"
	"io"
	"runtime"
	"sync/atomic"
	"testing"
)

// silent is a parent that says nothing.
type silent struct {
	asked atomic.Bool
	never chan struct{}
}

func (s *silent) Read([]byte) (int, error) {
	s.asked.Store(true)
	<-s.never
	return 0, io.EOF
}

// TestListen: on one CPU the parent is listened to before the trial begins, so that the first read takes the CPU from
// nobody within a window.
func TestListen(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	s := &silent{never: make(chan struct{})}
	listen(bufio.NewReader(s), io.Discard)
	if !s.asked.Load() {
		t.Error("the trial begins, and nobody listens yet")
	}
}
