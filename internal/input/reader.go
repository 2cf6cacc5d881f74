package input

import (
	"bytes"
	"context"
	"io"
)

// chunk is how much is read at once from what may wait: 64 KB, the room of a pipe.
const chunk = 64 * kb

// Reader reads from what may be endless or may wait, within limits. It is not for concurrent use.
type Reader struct {
	ctx    context.Context
	in     io.Reader
	name   string
	limits limits
	direct bool // in does not wait: it is read in place

	total  int64 // bytes that came
	line   int   // bytes of the line so far
	lines  int   // that ended
	failed error

	room    []byte // where the reading goroutine writes
	left    []byte // of room, what came and was not given out
	waiting chan got
}

// got is what one call of Read gave.
type got struct {
	n   int
	err error
}

// NewReader limits what is read from in, and lets ctx end it. name is what errors call it. A goroutine does the
// reading, so that an interrupt needs no help from in; after an interrupt it may wait on until in gives something or is
// closed.
func NewReader(ctx context.Context, in io.Reader, name string, kind Kind) *Reader {
	return newReader(ctx, in, name, kind, false)
}

func newReader(ctx context.Context, in io.Reader, name string, kind Kind, direct bool) *Reader {
	return &Reader{ctx: ctx, in: in, name: name, limits: kind.limits(), direct: direct}
}

// Read reads on. At an interrupt it returns the context's error, and beyond a limit one that is [ErrRefused]; either
// is returned from then on.
func (r *Reader) Read(p []byte) (int, error) {
	if r.failed == nil {
		r.failed = r.ctx.Err()
	}
	if r.failed != nil {
		return 0, r.failed
	}
	if len(p) == 0 {
		return 0, nil
	}

	n, err := r.next(p)
	if err == nil || err == io.EOF {
		if refused := r.count(p[:n]); refused != nil {
			n, err = 0, refused
		}
	}
	r.failed = err
	return n, err
}

// next takes what comes next.
func (r *Reader) next(p []byte) (int, error) {
	if r.direct {
		return r.in.Read(p)
	}
	if len(r.left) == 0 {
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.left)
	r.left = r.left[n:]
	return n, nil
}

// fill waits until something came, or for an interrupt.
func (r *Reader) fill() error {
	if r.room == nil {
		r.room, r.waiting = make([]byte, chunk), make(chan got, 1)
	}
	go func() {
		n, err := r.in.Read(r.room)
		r.waiting <- got{n, err}
	}()

	select {
	case <-r.ctx.Done():
		return r.ctx.Err() // the goroutine keeps room, which nobody reads any more
	case g := <-r.waiting:
		r.left = r.room[:g.n]
		if g.n > 0 && g.err == io.EOF {
			return nil // which the next call says again
		}
		return g.err
	}
}

// count holds the limits.
func (r *Reader) count(p []byte) error {
	if r.total += int64(len(p)); r.total > r.limits.bytes {
		return tooLarge(r.name, r.limits)
	}
	if r.limits.line == 0 {
		return nil
	}
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			end = len(p)
		}
		if r.line += end; r.line > r.limits.line {
			return tooLong(r.name, r.lines+1, r.limits)
		}
		if end == len(p) {
			return nil
		}
		r.line, r.lines, p = 0, r.lines+1, p[end+1:]
	}
	return nil
}
