// Package gotrace reads Go execution traces into what package explain needs, event by event: memory grows with the
// program's goroutines, sites and classes, the latter two up to a limit, and with what one generation of a trace holds
// (about a second of it), not with the trace.
//
// It stands on golang.org/x/exp/trace, which follows the format; that module's interface is experimental, and this
// package is all that touches it.
package gotrace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/brewput/brewput/evidence"
	"golang.org/x/exp/trace"
)

// oldest is the first release of Go 1 whose traces can be read piece by piece.
const oldest = 22

// Read reads a trace, of up to so many events (0: all). One that ends in the midst, or that is corrupt from some place
// on, is read as far as it goes and says that it is truncated; of one that nothing can be read of there is an error.
func Read(r io.Reader, events int64) (*evidence.Trace, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	if err := header(in); err != nil {
		return nil, fmt.Errorf("reading a trace: %w", err)
	}

	t := newAggregator()
	truncated, err := t.read(in, events)
	if err == nil && !t.usable() {
		err = errors.New("it holds no events")
	}
	if err != nil && !t.usable() {
		return nil, fmt.Errorf("reading a trace: %w", err)
	}

	out := t.finish()
	out.Truncated = truncated || err != nil
	return out, nil
}

// header looks at the first 16 bytes, "go 1.26 trace" and zeros, which stay unread.
func header(in *bufio.Reader) error {
	head, err := in.Peek(16)
	if err != nil {
		if len(head) == 0 {
			return errors.New("the file is empty: was the tracer stopped, by trace.Stop, before the program ended?")
		}
		if err == io.EOF {
			return fmt.Errorf("%d bytes are too few for one", len(head))
		}
		return err
	}

	version, ok := strings.CutPrefix(strings.TrimRight(string(head), "\x00"), "go 1.")
	version, also := strings.CutSuffix(version, " trace")
	minor, err := strconv.Atoi(version)
	switch {
	case !ok || !also || err != nil:
		return fmt.Errorf("it does not begin as Go's execution traces do: %q", head)
	case minor < oldest:
		return fmt.Errorf("it was made by Go 1.%d or before: record it with Go 1.%d or later", minor, oldest)
	}

	return nil
}

// read adds all events up, while another goroutine decodes those that follow. What is read of a corrupt trace may
// panic.
func (t *aggregator) read(in io.Reader, events int64) (truncated bool, err error) {
	reader, err := trace.NewReader(in)
	if err != nil {
		return false, fmt.Errorf("%s: a newer Go than this program knows?", firstLine(err))
	}

	d := decode(reader)
	defer d.end()
	defer func() {
		if r := recover(); r != nil {
			truncated, err = true, fmt.Errorf("it is corrupt: %v", r)
		}
	}()
	for b := range d.full {
		for i := range b.events {
			if events > 0 && t.events >= events {
				return true, nil
			}
			if t.event(&b.events[i]); t.now-t.start > maxDuration {
				return true, errors.New("its times are years apart")
			}
		}
		if b.err != nil {
			return true, b.err
		}
		d.empty <- b
	}

	return false, nil
}

// Events are decoded ahead in so many batches of so many: small ones, that are still in the cache when they are looked
// at, and enough of them that neither side often waits for the other to be woken.
const (
	batches   = 32
	batchSize = 256
)

// batch is some events, and what went wrong after them.
type batch struct {
	events []trace.Event
	err    error
}

// decoder decodes ahead. Events stay as they are once the reader has given them out, but for the names of user tasks,
// which package gotrace does not look at.
type decoder struct {
	full, empty chan *batch
	stop        chan struct{}
}

func decode(reader *trace.Reader) *decoder {
	d := &decoder{make(chan *batch, batches), make(chan *batch, batches), make(chan struct{})}
	for range batches {
		d.empty <- &batch{}
	}
	go d.run(reader)
	return d
}

// run fills batches until the trace ends or nobody wants more.
func (d *decoder) run(reader *trace.Reader) {
	defer close(d.full)
	for {
		select {
		case <-d.stop:
			return
		case b := <-d.empty:
			more := b.fill(reader)
			d.full <- b // there is always room
			if !more {
				return
			}
		}
	}
}

// fill decodes as many events as a batch has room for, and reports whether there may be more.
func (b *batch) fill(reader *trace.Reader) (more bool) {
	defer func() {
		if r := recover(); r != nil {
			more, b.err = false, fmt.Errorf("it is corrupt: %v", r)
		}
	}()
	for b.events = b.events[:0]; len(b.events) < batchSize; {
		e, err := reader.ReadEvent()
		if err == io.EOF {
			return false
		}
		if err != nil {
			b.err = errors.New(firstLine(err))
			return false
		}
		b.events = append(b.events, e)
	}

	return true
}

// end waits until nothing is read any more.
func (d *decoder) end() {
	close(d.stop)
	for range d.full {
	}
}

// longest is what a trace may last, in ns: sums of times cannot overflow below it.
const maxDuration = 1 << 55

// firstLine is an error without the dump of the reader's state that may follow.
func firstLine(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text
}
