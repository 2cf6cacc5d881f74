package journal

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newMapped copies each entry into a memory-mapped file, under a lock. There is no system call for an entry, so the
// lock and page faults limit it. The kernel holds the pages, so that they survive the process.
func newMapped(e env.Env, p plan.Point) (workload.Job, error) {
	return newJob(e, p, SurvivesKill, openMapped)
}

// segmentBytes is the size of a segment, which is one mapping. A frame is within one segment.
const segmentBytes = 8 << 20

func openMapped(e env.Env, dir string, _ plan.Point) (Log, error) {
	f, err := openMapping(dir, "mapped", segmentBytes)
	if err != nil {
		return nil, err
	}
	return openSegments(e, f, segmentBytes)
}

// openSegments opens the log in a file whose segments have that size.
func openSegments(e env.Env, f mapping, size int) (Log, error) {
	m := &mapped{f: f, size: size, lock: e.Mutex("log"), chain: newChain()}
	if err := m.load(); err != nil {
		f.Close()
		return nil, err
	}
	return m, nil
}

// mapping is a file that is mapped in segments.
type mapping interface {
	// count returns the number of segments of the file.
	count() int

	// segment maps the segment i. If the file does not have it, it grows by a segment of zeros.
	segment(i int) ([]byte, error)

	// cut unmaps and removes all segments from i on.
	cut(i int) error

	// sync makes the content survive power loss.
	sync() error

	// Close unmaps the segments.
	Close() error
}

// mapped is a log in a memory-mapped file of frames.
type mapped struct {
	f    mapping
	size int // of a segment

	lock     *env.Mutex // protects what follows
	chain    chain
	segments [][]byte
	end      int     // of the last frame, in the last segment
	starts   []int64 // of the frame of each entry, in the file
	syncs    uint64
	err      error // of the first growth or sync that failed
}

// load reads all whole frames, and settles them.
func (m *mapped) load() error {
	if err := m.grow(); err != nil {
		return err
	}
	first := m.segments[0]
	if err := checkMapped(first[:mappedStart]); err != nil {
		return err
	}
	m.end = copy(first, frameHeader)
	for {
		for m.take() {
		}
		if len(m.segments) == m.f.count() {
			break
		}
		end := m.end
		if err := m.grow(); err != nil {
			return err
		}
		if !m.take() {
			m.segments, m.end = m.segments[:len(m.segments)-1], end
			if err := m.f.cut(len(m.segments)); err != nil {
				return err
			}
			break
		}
	}

	m.settle()
	if len(m.starts) > 0 {
		return nil
	}
	return m.f.sync() // otherwise, power loss may leave entries without the header, which is not a log
}

// settle clears what follows the last frame, and writes what is before it once more. After a sync that failed, the
// kernel takes pages that did not reach the device for clean, so that no later sync writes them.
func (m *mapped) settle() {
	const page = 4096
	last := len(m.segments) - 1
	for part := range slices.Chunk(m.segments[last][m.end:], page) {
		if bytes.Count(part, []byte{0}) < len(part) {
			clear(part)
		}
	}
	var buf []byte // the compiler would drop a store of what was just loaded
	for i, s := range m.segments {
		if i == last {
			s = s[:m.end]
		}
		for part := range slices.Chunk(s, page) {
			buf = append(buf[:0], part...)
			copy(part, buf)
		}
	}
}

// mappedStart is how many bytes tell whether a file is a log.
const mappedStart = len(frameHeader) + sumBytes

// checkMapped returns an error unless a file with these first bytes is a log, or has no frame and at most a part of the
// header, because a kill interrupted the copy.
func checkMapped(first []byte) error {
	if string(first[:len(frameHeader)]) == frameHeader {
		return nil
	}
	for i, b := range first {
		if b != 0 && (i >= len(frameHeader) || b != frameHeader[i]) {
			return fmt.Errorf("the mapped file is not a log: it does not begin with %q; nothing was changed",
				frameHeader)
		}
	}
	return nil
}

// grow maps one segment more. The next frame begins in it.
func (m *mapped) grow() error {
	s, err := m.f.segment(len(m.segments))
	if err != nil {
		return err
	}
	m.segments, m.end = append(m.segments, s), 0
	return nil
}

// take adds the entry of the frame at the end, if there is a whole frame in the last segment.
func (m *mapped) take() bool {
	rest := m.segments[len(m.segments)-1][m.end:]
	if len(rest) < frameHead {
		return false
	}
	n, ok := dataBytes(rest)
	if !ok || len(rest) < frameHead+n || !m.chain.next(rest[:frameHead+n]) {
		return false
	}
	m.record(frameHead + n)
	return true
}

// record adds the entry of the frame at the end, which has n bytes.
func (m *mapped) record(n int) {
	m.starts = append(m.starts, int64(len(m.segments)-1)*int64(m.size)+int64(m.end))
	m.end += n
}

func (m *mapped) Append(data []byte) (uint64, error) {
	if err := CheckSize(data); err != nil {
		return 0, err
	}
	n := frameHead + len(data)
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.err == nil && m.end+n > m.size {
		if err := m.grow(); err != nil {
			m.err = Broken(err)
		}
	}
	if m.err != nil {
		return 0, m.err
	}
	frame := m.segments[len(m.segments)-1][m.end : m.end+n]
	binary.LittleEndian.PutUint32(frame, uint32(sumBytes+len(data)))
	copy(frame[frameHead:], data)
	m.chain.seal(frame)
	m.record(n)
	return uint64(len(m.starts)), nil
}

func (m *mapped) Get(index uint64) ([]byte, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	if index-1 >= uint64(len(m.starts)) {
		return nil, notFound(index, len(m.starts))
	}
	at := m.starts[index-1]
	frame := m.segments[at/int64(m.size)][at%int64(m.size):]
	n, _ := dataBytes(frame)
	return slices.Clone(frame[frameHead : frameHead+n]), nil
}

func (m *mapped) Flush() error {
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.err == nil {
		m.syncs++
		if err := m.f.sync(); err != nil {
			m.err = Broken(err)
		}
	}
	return m.err
}

func (m *mapped) Syncs() uint64 {
	m.lock.Lock()
	defer m.lock.Unlock()
	return m.syncs
}

func (m *mapped) Close() error { return m.f.Close() }
