package remote

import (
	"slices"
	"sync"
	"time"
)

// maxDelayed bounds the bytes that wait in one direction of a connection. A sender that is further ahead waits.
const maxDelayed = 64 << 20

// delayLine holds bytes until they are due. One goroutine puts and one takes.
type delayLine struct {
	most int // bytes

	lock    sync.Mutex // protects what follows
	changed sync.Cond
	parts   []part
	bytes   int
	ended   bool // nothing more is put
	clean   bool // the end was the end of the stream, and not a reset
	stopped bool // nothing more is taken
}

// part is bytes that were read together.
type part struct {
	bytes []byte
	due   time.Time
}

// put adds a copy of b, and waits while the line is full. It returns false if nothing more is taken.
func (l *delayLine) put(b []byte, due time.Time) bool {
	l.lock.Lock()
	defer l.lock.Unlock()
	for l.bytes >= l.most && !l.stopped {
		l.changed.Wait()
	}
	l.parts = append(l.parts, part{bytes: slices.Clone(b), due: due})
	l.bytes += len(b)
	l.changed.Broadcast()
	return !l.stopped
}

// take removes the oldest part, and waits until there is one. ok is false at the end.
func (l *delayLine) take() (p part, ok bool) {
	l.lock.Lock()
	defer l.lock.Unlock()
	for len(l.parts) == 0 && !l.ended && !l.stopped {
		l.changed.Wait()
	}
	if len(l.parts) == 0 || l.stopped {
		return part{}, false
	}
	p = l.parts[0]
	l.parts[0] = part{}
	l.parts = l.parts[1:]
	l.bytes -= len(p.bytes)
	l.changed.Broadcast()
	return p, true
}

// end marks that nothing more is put. clean means that the stream has ended, and was not reset.
func (l *delayLine) end(clean bool) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.ended, l.clean = true, clean
	l.changed.Broadcast()
}

// complete reports whether the stream has ended and was not reset.
func (l *delayLine) complete() bool {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.ended && l.clean
}

// stop makes put return false and take end.
func (l *delayLine) stop() {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.stopped = true
	l.changed.Broadcast()
}
