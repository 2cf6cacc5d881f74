package trial

import (
	"bufio"
	"io"
	"runtime"
	"sync/atomic"
	"testing"
)

// silent is a parent that sends nothing.
type silent struct {
	asked atomic.Bool
	never chan struct{}
}

func (s *silent) Read([]byte) (int, error) {
	s.asked.Store(true)
	<-s.never
	return 0, io.EOF
}

// TestListen checks that on one CPU the child waits for the parent before the trial begins, so that its first
// read takes no CPU inside a window.
func TestListen(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	s := &silent{never: make(chan struct{})}
	listen(bufio.NewReader(s), io.Discard)
	if !s.asked.Load() {
		t.Error("the trial begins, and nobody listens yet")
	}
}
