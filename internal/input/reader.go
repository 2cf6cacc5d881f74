package input

import (
	"bytes"
	"context"
	"io"
)

// chunk is the number of bytes of one read from an input that may block: 64 KB, the capacity of a pipe.
const chunk = 64 * kb

// Reader reads within limits from an input that may block or be endless. It is not safe for concurrent use.
type Reader struct {
	ctx    context.Context
	in     io.Reader
	name   string
	limits limits
	direct bool // in does not block: it is read without a goroutine

	total  int64 // bytes read
	line   int   // bytes of the current line
	lines  int   // complete lines
	failed error

	room    []byte // buffer of the reading goroutine
	left    []byte // bytes of room that were read and not yet returned
	waiting chan readResult
}

// readResult is the result of one Read of the input.
type readResult struct {
	n   int
	err error
}

// NewReader returns a Reader that limits in and stops when ctx is cancelled. Errors use name for in. A
// goroutine reads from in, so that an interrupt does not depend on in. After an interrupt the goroutine may
// block until in returns or is closed.
func NewReader(ctx context.Context, in io.Reader, name string, kind Kind) *Reader {
	return newReader(ctx, in, name, kind, false)
}

func newReader(ctx context.Context, in io.Reader, name string, kind Kind, direct bool) *Reader {
	return &Reader{ctx: ctx, in: in, name: name, limits: kind.limits(), direct: direct}
}

// Read reads the next bytes. After an interrupt it returns the error of the context, and beyond a limit one
// that matches [ErrRefused]. Every later call returns the same error.
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

// next reads the next bytes without checking the limits.
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

// fill waits for the next bytes or an interrupt.
func (r *Reader) fill() error {
	if r.room == nil {
		r.room, r.waiting = make([]byte, chunk), make(chan readResult, 1)
	}
	go func() {
		n, err := r.in.Read(r.room)
		r.waiting <- readResult{n, err}
	}()

	select {
	case <-r.ctx.Done():
		return r.ctx.Err() // the goroutine keeps room, which is no longer read
	case g := <-r.waiting:
		r.left = r.room[:g.n]
		if g.n > 0 && g.err == io.EOF {
			return nil // the next call returns the error
		}
		return g.err
	}
}

// count enforces the limits.
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
