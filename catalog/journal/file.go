package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newFileLog is the file log of the original: under a lock it encodes an entry as one line of JSON, writes it, and
// keeps the entry in memory. The lock serializes the encoding too, so that it reaches less than one entry for each
// write.
func newFileLog(e env.Env, p plan.Point) (workload.Job, error) {
	return newJob(e, p, SurvivesKill, openFile)
}

// newFileSync is the file log with a sync of each line. The sync is under the lock, so callers wait for each other's.
func newFileSync(e env.Env, p plan.Point) (workload.Job, error) {
	return newJob(e, p, SurvivesPowerLoss, openFileSync)
}

func openFile(e env.Env, dir string, _ plan.Point) (Log, error) {
	return openLines(e, disk(dir), false)
}

func openFileSync(e env.Env, dir string, _ plan.Point) (Log, error) {
	return openLines(e, disk(dir), true)
}

// lines is a log with one line of JSON for each entry, which is in memory too.
type lines struct {
	f      file
	always bool // sync each line

	lock    *env.Mutex // protects what follows
	entries [][]byte
	end     int64
	syncs   uint64
	err     error // of the first write or sync that failed
}

// line is the JSON of an entry.
type line struct {
	Index uint64 `json:"index"`
	Data  []byte `json:"data"`
}

func openLines(e env.Env, fs files, always bool) (Log, error) {
	const name = "lines.json"
	f, err := newFile(fs, name, "")
	if err != nil {
		return nil, err
	}
	l := &lines{f: f, always: always, lock: e.Mutex("log")}
	if err = l.recover(name); err == nil {
		err = cut(f, l.end)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return l, nil
}

// recover reads all whole lines. A line has no checksum, so changed data may go unnoticed.
func (l *lines) recover(name string) error {
	size, err := l.f.size()
	if err != nil {
		return err
	}
	r := bufio.NewReaderSize(io.NewSectionReader(l.f, 0, size), 1<<16)
	for {
		text, err := r.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return err
		}
		if l.end == 0 && !begins(text) {
			return fmt.Errorf("%s is not a log: it does not begin with %q; nothing was changed", name, lineStart)
		}
		var x line
		if err == io.EOF || json.Unmarshal(text, &x) != nil || x.Index != uint64(len(l.entries))+1 {
			return nil
		}
		l.entries = append(l.entries, x.Data)
		l.end += int64(len(text))
	}
}

// lineStart begins the first line of a log.
const lineStart = `{"index":1,`

// begins reports whether a log can begin with this text: with the first line, a part of it, or zeros after power loss.
func begins(text []byte) bool {
	text = text[:min(len(text), len(lineStart))]
	return bytes.HasPrefix([]byte(lineStart), text) || bytes.Count(text, []byte{0}) == len(text)
}

func (l *lines) Append(data []byte) (uint64, error) {
	if err := CheckSize(data); err != nil {
		return 0, err
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.err != nil {
		return 0, l.err
	}
	text, err := l.encode(data)
	if err != nil {
		return 0, err
	}
	if _, err = l.f.WriteAt(text, l.end); err == nil && l.always {
		l.syncs++
		err = l.f.sync()
	}
	if err != nil {
		l.err = Broken(err)
		return 0, l.err
	}
	l.end += int64(len(text))
	l.entries = append(l.entries, slices.Clone(data))
	return uint64(len(l.entries)), nil
}

// encode returns the line of the next entry.
func (l *lines) encode(data []byte) ([]byte, error) {
	text, err := json.Marshal(line{uint64(len(l.entries)) + 1, data})
	return append(text, '\n'), err
}

func (l *lines) Get(index uint64) ([]byte, error) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if index-1 >= uint64(len(l.entries)) {
		return nil, notFound(index, len(l.entries))
	}
	return slices.Clone(l.entries[index-1]), nil
}

func (l *lines) Flush() error {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.err == nil && !l.always {
		l.syncs++
		if err := l.f.sync(); err != nil {
			l.err = Broken(err)
		}
	}
	return l.err
}

func (l *lines) Syncs() uint64 {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.syncs
}

func (l *lines) Close() error { return l.f.Close() }
