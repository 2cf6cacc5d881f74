package journal

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/brewput/brewput/env"
)

// recordedMapping is a mapping whose changes a recorder gets.
type recordedMapping struct {
	memoryMapping
	r    *recorder
	seen []byte // what the recorder knows
}

// observe records what was stored since the last call. The kernel may write any part of it at any time.
func (m *recordedMapping) observe() error {
	now := slices.Concat(m.parts...)
	for at := 0; at < len(now); at += sector {
		part := now[at:min(at+sector, len(now))]
		if string(part) == string(m.seen[at:at+len(part)]) {
			continue
		}
		if err := m.r.do(event{op: "write", inode: 1, at: int64(at), data: slices.Clone(part)}); err != nil {
			return err
		}
	}
	m.seen = now
	return nil
}

// resize records the size of the file.
func (m *recordedMapping) resize() error {
	m.seen = slices.Concat(m.parts...)
	return m.r.do(event{op: "truncate", inode: 1, at: int64(len(m.seen))})
}

func (m *recordedMapping) segment(i int) ([]byte, error) {
	if i < m.count() {
		return m.memoryMapping.segment(i)
	}
	if err := m.observe(); err != nil {
		return nil, err
	}
	s, err := m.memoryMapping.segment(i)
	return s, errors.Join(err, m.resize())
}

func (m *recordedMapping) cut(i int) error {
	return errors.Join(m.observe(), m.memoryMapping.cut(i), m.resize())
}

func (m *recordedMapping) sync() error {
	return errors.Join(m.observe(), m.r.do(event{op: "sync", inode: 1}), m.r.sync())
}

// partsOf returns the segments of a file. What is missing at its end is reserved again.
func partsOf(content []byte) (parts [][]byte) {
	for part := range slices.Chunk(content, segmentSize) {
		parts = append(parts, append(slices.Clone(part), make([]byte, segmentSize-len(part))...))
	}
	return parts
}

// loseMapped runs a history of a mapped log, and loses the power at each of its steps. What is left must have all
// entries that a Flush covered, or if early is set that Append acknowledged, and the log must go on from there.
func loseMapped(e env.Env, r *recorder, early bool) error {
	if err := r.do(event{op: "create", inode: 1, name: "mapped"}); err != nil {
		return err
	}
	m := &recordedMapping{memoryMapping: memoryMapping{size: segmentSize}, r: r}
	l, err := openSegments(e, m, segmentSize)
	for i := uint64(1); err == nil && i <= 20; i++ {
		if _, err = l.Append([]byte(text(i))); err != nil {
			break
		}
		err = m.observe()
		if err == nil && i%3 == 0 {
			err = l.Flush()
		}
		if early || i%3 == 0 {
			r.ack(i)
		}
	}
	if err != nil {
		return err
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	return crashes(newRecorder().now, r.trace, 1<<7, rnd, func(_ int, left image, acked uint64) error {
		var content []byte
		if inode, found := left.names["mapped"]; found {
			content = left.files[inode]
		}
		m := &memoryMapping{size: segmentSize, parts: partsOf(content)}
		l, err := openSegments(e, m, segmentSize)
		if err != nil {
			return err
		}
		n, err := recovered(l)
		if err != nil || n < acked {
			return fmt.Errorf("%d entries were acknowledged, and %d are there: %w", acked, n, err)
		}
		if _, err = l.Append([]byte(text(n + 1))); err == nil {
			l, err = openSegments(e, m, segmentSize)
		}
		if err != nil {
			return err
		}
		if got, err := recovered(l); err != nil || got != n+1 {
			return fmt.Errorf("%d entries after one more than %d: %w", got, n, err)
		}
		return nil
	})
}

// TestMappedPowerLoss loses the power after each step of a history of several segments, with any part of what was
// stored and not synced. It must find a missing sync, and that an append alone does not survive.
func TestMappedPowerLoss(t *testing.T) {
	inWorld(t, func(e env.Env) error { return loseMapped(e, newRecorder(), false) })
	for _, op := range []string{"sync", "syncdir", "early"} {
		inWorld(t, func(e env.Env) error {
			r := newRecorder()
			r.skip = func(o string) bool { return o == op }
			if err := loseMapped(e, r, op == "early"); err == nil || !strings.Contains(err.Error(), "power lost") {
				return fmt.Errorf("%s: %v", op, err)
			}
			return nil
		})
	}
}
