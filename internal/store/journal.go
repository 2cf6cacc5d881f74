package store

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/brewput/brewput/result"
)

// Journal is what a run directory holds.
type Journal struct {
	Dir    string
	Header json.RawMessage   // what Create was given
	Trials []result.Trial    // as they were appended; numbers of an Answer are json.Number
	Blocks map[int]int       // the complete blocks, with their number of trials (observed ones too)
	Looks  []json.RawMessage // what was decided to be measured next, in its order
	Spent  time.Duration     // of the budget, when the last complete block ended
	Ended  bool              // the sweep is complete
	Torn   int64             // bytes at the end of the journal that do not count, because a crash cut them

	state         state
	end           int64 // length in bytes of the journal that counts
	histogramsEnd int64 // the same of the histograms
	histogramsErr error // why no trial can be appended: the histograms of complete blocks are damaged
}

// Open reads a run directory. It takes no lock and changes nothing: the run may be under way, and then
// the journal is as it was at some moment during the call.
func Open(dir string) (*Journal, error) {
	f, in, header, err := openJournal(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	j := &Journal{Dir: dir, Header: header, state: newState()}
	starts, err := j.read(in)
	if err != nil {
		return nil, err
	}
	if err := j.pair(starts); err != nil {
		return nil, err
	}
	j.Blocks, j.Ended = j.state.blocks, j.state.ended
	return j, nil
}

// openJournal opens the journal and reads its header. A journal without a whole header is an error.
func openJournal(dir string) (*os.File, *lines, json.RawMessage, error) {
	f, err := openRegular(filepath.Join(dir, journalName))
	if err != nil {
		return nil, nil, nil, fmt.Errorf("%s is not a run directory: %w", dir, err)
	}
	in := newLines(f)
	header, err := readHeader(in, dir)
	if err != nil {
		f.Close()
		return nil, nil, nil, err
	}
	return f, in, header, nil
}

func readHeader(in *lines, dir string) (json.RawMessage, error) {
	line, err := in.next()
	if err == io.EOF || err == nil && unbegun(line) {
		return nil, fmt.Errorf("%s: the run was stopped before its header was written, so it holds no trial: start it again with -o %s", dir, dir)
	}
	var r record
	if err == nil {
		r, err = parse(line)
	}
	if err == nil && (r.Kind != kindRun || r.SchemaVersion < 1 || !whole(line)) {
		err = errors.New("the first line is not the header of a run")
	}
	if err == nil {
		return r.Header, nil
	}
	err = fmt.Errorf("%s:1: %w", filepath.Join(dir, journalName), err)
	if errors.Is(err, errNewer) {
		return nil, err
	}
	return nil, fmt.Errorf("%s is not a run directory: %w", dir, err)
}

// unbegun reports whether b, the first line of a journal, is a header that was cut: a beginning of it,
// without newline. A power cut may have left zeros in its place.
func unbegun(b []byte) bool {
	const start = `{"kind":"run",`
	torn := !whole(b)
	b = bytes.Trim(b, "\x00")
	n := min(len(b), len(start))
	return torn && string(b[:n]) == start[:n]
}

// read reads the records after the header up to a torn tail. It returns where in the journal the trials
// after the last complete block start: those that were not yet synced for certain.
func (j *Journal) read(in *lines) (starts []int64, err error) {
	for {
		j.end = in.offset
		line, err := in.next()
		if err == io.EOF {
			return starts, nil
		}
		if err == nil && (!whole(line) || !in.more() && !json.Valid(line)) {
			j.Torn = int64(len(line))
			return starts, nil
		}
		var r record
		if err == nil {
			r, err = parse(line)
		}
		if err == nil {
			err = j.state.check(&r)
		}
		if err != nil {
			err = fmt.Errorf("%s:%d: %w", filepath.Join(j.Dir, journalName), in.number, err)
			if errors.Is(err, errNewer) {
				return nil, err
			}
			return nil, fmt.Errorf("%w; to run again what this line and those after it hold, remove them and continue with --resume %s", err, j.Dir)
		}
		j.state.add(&r)
		switch r.Kind {
		case result.KindTrial, result.KindObserved:
			j.Trials = append(j.Trials, r.trial)
			starts = append(starts, j.end)
			continue
		case kindLook:
			j.Looks = append(j.Looks, r.Look)
		case kindBlock:
			j.Spent = time.Duration(r.Spent * float64(time.Second))
		}
		starts = starts[:0] // the other records come with a sync
	}
}

// pair finds the histograms of the trials. A trial after the last complete block whose histogram is
// missing does not count, nor does any after it: a power cut kept its line but not its histogram.
// starts is the result of read.
func (j *Journal) pair(starts []int64) error {
	f, err := openRegular(filepath.Join(j.Dir, histogramsName))
	if err != nil {
		// It was synced with the header, so no crash took it. The trials can be shown without it.
		j.histogramsErr = err
		return nil
	}
	defer f.Close()
	in := newLines(f)
	safe := len(j.Trials) - len(starts)
	for i, t := range j.Trials {
		line, err := in.next()
		switch {
		case err != nil && err != io.EOF:
			return fmt.Errorf("%s: %w", f.Name(), err)
		case i < safe && whole(line):
		case i < safe:
			j.histogramsErr = fmt.Errorf("%s: it ends within line %d, but the complete blocks have %d trials", f.Name(), i+1, safe)
			return nil
		default:
			if _, err := parseHistogram(line, keyOf(&t)); err != nil {
				j.cut(i, starts[i-safe])
				return nil
			}
		}
		j.histogramsEnd = in.offset
	}
	return nil
}

// cut drops the trials from number i on, whose lines start at that place of the journal.
func (j *Journal) cut(i int, start int64) {
	for _, t := range j.Trials[i:] {
		delete(j.state.seen, keyOf(&t))
		j.state.counts[t.Block]--
	}
	j.Trials = j.Trials[:i]
	j.Torn += j.end - start
	j.end = start
}

// Histograms are the histograms of the trials in the order of j.Trials, without those of trials that
// have none. An error is the last element.
func (j *Journal) Histograms() iter.Seq2[Histograms, error] {
	return func(yield func(Histograms, error) bool) {
		f, err := openRegular(filepath.Join(j.Dir, histogramsName))
		if err != nil {
			yield(Histograms{}, err)
			return
		}
		defer f.Close()
		in := newLines(f)
		for _, t := range j.Trials {
			var h Histograms
			line, err := in.next()
			if err == nil {
				h, err = parseHistogram(line, keyOf(&t))
			}
			if err != nil {
				yield(Histograms{}, fmt.Errorf("%s:%d: the histogram of %v: %w", f.Name(), in.number, keyOf(&t), err))
				return
			}
			if len(h.Data) > 0 && !yield(h, nil) {
				return
			}
		}
	}
}

// openRegular opens a file to read. Opening a pipe would block.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	}
	return os.Open(path)
}

// lines reads a file by lines.
type lines struct {
	in     *bufio.Reader
	line   []byte
	number int   // of the last line read, from 1
	offset int64 // bytes read
}

func newLines(r io.Reader) *lines { return &lines{in: bufio.NewReaderSize(r, 64<<10)} }

// next returns the next line, with its newline where it has one, or io.EOF. The line is valid until the
// next call.
func (l *lines) next() ([]byte, error) {
	l.line = l.line[:0]
	l.number++
	for {
		part, err := l.in.ReadSlice('\n')
		l.line = append(l.line, part...)
		l.offset += int64(len(part))
		switch {
		case len(l.line) > maxLine:
			return nil, fmt.Errorf("the line is longer than %d bytes", maxLine)
		case err == bufio.ErrBufferFull:
		case err == io.EOF && len(l.line) > 0:
			return l.line, nil
		case err != nil:
			return nil, err
		default:
			return l.line, nil
		}
	}
}

// more reports whether another line follows.
func (l *lines) more() bool {
	_, err := l.in.Peek(1)
	return err != io.EOF
}

// whole reports whether a line has its newline.
func whole(line []byte) bool { return len(line) > 0 && line[len(line)-1] == '\n' }
