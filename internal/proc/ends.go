// Package proc is what parents of processes share: to run a command, to end it with all that it started, and to keep
// the two ends of what it prints.
package proc

import (
	"fmt"
	"sync"
)

// Ends keeps the beginning and the end of what is written to it: a crash says what happened first and
// a dump of a million goroutines must not fill the memory.
type Ends struct {
	mu   sync.Mutex
	head []byte
	tail []byte
	lost int
}

const keptBytes = 256 << 10

func (e *Ends) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := len(p)
	if room := keptBytes - len(e.head); room > 0 {
		k := min(room, len(p))
		e.head = append(e.head, p[:k]...)
		p = p[k:]
	}
	e.tail = append(e.tail, p...)
	if extra := len(e.tail) - keptBytes; extra > 0 {
		e.lost += extra
		e.tail = append(e.tail[:0], e.tail[extra:]...)
	}
	return n, nil
}

func (e *Ends) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.lost > 0 {
		return fmt.Sprintf("%s\n... %d bytes left out ...\n%s", e.head, e.lost, e.tail)
	}
	return string(e.head) + string(e.tail)
}
