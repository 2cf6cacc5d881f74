// Package gotrace reads Go execution traces, event by event, into the summary that package explain needs. Its memory
// does not grow with the length of the trace. It grows with the program's goroutines, with its sites and classes up to
// a limit, and with one generation of the trace (about a second).
//
// The package uses golang.org/x/exp/trace, which follows the trace format. The API of that module is experimental, and
// only this package uses it.
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

// oldest is the first minor release of Go 1 whose traces can be read incrementally.
const oldest = 22

// Read reads a trace of at most events events (0 for all) and returns its summary. A trace that ends early or is
// corrupt is read as far as possible, and the summary is marked as truncated. It is an error if nothing can be read.
func Read(r io.Reader, events int64) (*evidence.Trace, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	if err := header(in); err != nil {
		return nil, fmt.Errorf("reading a trace: %w", err)
	}

	a := newAggregator()
	truncated, err := a.read(in, events)
	if err == nil && !a.usable() {
		err = errors.New("it holds no events")
	}
	if err != nil && !a.usable() {
		return nil, fmt.Errorf("reading a trace: %w", err)
	}

	out := a.finish()
	out.Truncated = truncated || err != nil
	return out, nil
}

// header checks the first 16 bytes, "go 1.26 trace" and zeros, without consuming them.
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

// read processes all events, while another goroutine decodes ahead. Reading a corrupt trace may panic.
func (a *aggregator) read(in io.Reader, events int64) (truncated bool, err error) {
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
			if events > 0 && a.events >= events {
				return true, nil
			}
			if a.event(&b.events[i]); a.now-a.start > maxDuration {
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

// Events are decoded ahead in batches. The batches are small, so that they are still in the cache when they are
// processed, and numerous, so that neither side often waits for the other.
const (
	batches   = 32
	batchSize = 256
)

// batch holds some events, and the error after them.
type batch struct {
	events []trace.Event
	err    error
}

// decoder decodes ahead. The reader does not change events that it has returned, except the names of user tasks, which
// this package does not use.
type decoder struct {
	full, empty chan *batch
	stop        chan struct{}
}

// decode starts to decode ahead. Call end to stop.
func decode(reader *trace.Reader) *decoder {
	d := &decoder{make(chan *batch, batches), make(chan *batch, batches), make(chan struct{})}
	for range batches {
		d.empty <- &batch{}
	}
	go d.run(reader)
	return d
}

// run fills batches until the trace ends or stop is closed.
func (d *decoder) run(reader *trace.Reader) {
	defer close(d.full)
	for {
		select {
		case <-d.stop:
			return
		case b := <-d.empty:
			more := b.fill(reader)
			d.full <- b // does not block: full has room for all batches
			if !more {
				return
			}
		}
	}
}

// fill decodes one batch of events and reports whether there may be more.
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

// end stops decoding and waits until it has stopped.
func (d *decoder) end() {
	close(d.stop)
	for range d.full {
	}
}

// maxDuration is the longest trace in ns. Sums of times cannot overflow below it.
const maxDuration = 1 << 55

// firstLine returns the text of an error without the reader's state, which may follow on other lines.
func firstLine(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text
}
