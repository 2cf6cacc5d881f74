// Package proc runs commands without a shell: in a process group of their own, within a time limit, and with
// bounded output. It ends all processes that a command started. explain and bench run programs by it, and all
// of Brewput its tools.
package proc

import (
	"fmt"
	"sync"
)

// Ends keeps the first and the last 256 KB written to it, so both streams of a program take at most 1.5 MB. The
// beginning of a crash gives its reason, and a dump of a million goroutines cannot fill the memory. It is safe
// for concurrent use.
type Ends struct {
	mu   sync.Mutex
	head []byte
	tail []byte
	lost int
}

const keptBytes = 256 << 10

// Write keeps p within the limits; it never fails.
func (e *Ends) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := len(p)
	if room := keptBytes - len(e.head); room > 0 {
		k := min(room, len(p))
		e.head = append(e.head, p[:k]...)
		p = p[k:]
	}
	if e.tail = append(e.tail, p...); len(e.tail) > 2*keptBytes { // so that a small write rarely moves the tail
		e.trim()
	}
	return n, nil
}

// trim forgets what is before the last bytes.
func (e *Ends) trim() {
	if extra := len(e.tail) - keptBytes; extra > 0 {
		e.lost += extra
		e.tail = append(e.tail[:0], e.tail[extra:]...)
	}
}

// String returns the kept text, with a note of the number of omitted bytes.
func (e *Ends) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.trim()
	if e.lost > 0 {
		return fmt.Sprintf("%s\n... %d bytes left out ...\n%s", e.head, e.lost, e.tail)
	}
	return string(e.head) + string(e.tail)
}
