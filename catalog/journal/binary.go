package journal

import (
	"fmt"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newBinary writes each entry as a binary frame with a checksum, under a lock. The write is a system call, which limits
// it. The kernel holds what is written, so that it survives the process.
func newBinary(e env.Env, p plan.Point) (workload.Job, error) {
	return newJob(e, p, SurvivesKill, openBinary)
}

func openBinary(e env.Env, dir string, _ plan.Point) (Log, error) { return openFramed(e, disk(dir)) }

func openFramed(e env.Env, fs files) (Log, error) {
	s, err := openFrames(fs, "frames")
	if err != nil {
		return nil, err
	}
	return &framed{lock: e.Mutex("log"), frames: s}, nil
}

// framed is a log that writes a frame for each entry.
type framed struct {
	lock   *env.Mutex // protects the rest
	frames *frames
	buf    []byte
	syncs  uint64
	err    error // of the first write or sync that failed
}

func (l *framed) Append(data []byte) (uint64, error) {
	if err := CheckSize(data); err != nil {
		return 0, err
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.err != nil {
		return 0, l.err
	}
	s := l.frames
	l.buf = s.chain.add(l.buf[:0], data)
	if _, err := s.f.WriteAt(l.buf, s.end()); err != nil {
		l.err = Broken(err)
		return 0, l.err
	}
	s.ends = append(s.ends, s.end()+int64(len(l.buf)))
	return s.last(), nil
}

func (l *framed) Get(index uint64) ([]byte, error) {
	l.lock.Lock()
	at, size, err := l.frames.find(index)
	l.lock.Unlock()
	if err != nil {
		return nil, err
	}
	return read(l.frames.f, at, size)
}

func (l *framed) Flush() error {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.err == nil {
		l.syncs++
		if err := l.frames.f.sync(); err != nil {
			l.err = Broken(err)
		}
	}
	return l.err
}

func (l *framed) Syncs() uint64 {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.syncs
}

func (l *framed) Close() error { return l.frames.f.Close() }

// Broken returns the error of a log after a write or a sync has failed with err. After a failed sync the kernel
// may have dropped what was written before, and the next sync may succeed without it. So the log must not acknowledge
// anything any more.
func Broken(err error) error {
	return fmt.Errorf("the log takes no more entries, because a write failed; close it and open it again: %w", err)
}
