package journal

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/brewput/brewput/env"
)

// memoryMapping is a mapped file in memory.
type memoryMapping struct {
	size  int
	parts [][]byte
	grow  error // of segments that the file does not have
	fail  error // of sync
}

func (m *memoryMapping) count() int { return len(m.parts) }

func (m *memoryMapping) segment(i int) ([]byte, error) {
	if i == len(m.parts) {
		if m.grow != nil {
			return nil, m.grow
		}
		m.parts = append(m.parts, make([]byte, m.size))
	}
	return m.parts[i], nil
}

func (m *memoryMapping) cut(i int) error { m.parts = m.parts[:i]; return nil }
func (m *memoryMapping) sync() error     { return m.fail }
func (m *memoryMapping) Close() error    { return nil }

// stored is the content of a log, and how to open a log with other content.
type stored struct {
	content []byte
	ends    []int // where each entry ends; ends[0]: where the first begins
	open    func(e env.Env, content []byte) (Log, error)
}

// segmentSize is the size of the segments of mapped logs in tests.
const segmentSize = 256

// store writes a log of that many entries, by the designs with checksums.
func store(e env.Env, name string, entries int) (s stored, err error) {
	if name == "mapped" {
		m := &memoryMapping{size: segmentSize}
		l, err := openSegments(e, m, segmentSize)
		if err == nil {
			err = fill(l, entries)
		}
		if err != nil {
			return s, err
		}
		for i, at := range l.(*mapped).starts {
			s.ends = append(s.ends, int(at))
			if i == entries-1 {
				s.ends = append(s.ends, int(at)+frameHead+len(text(uint64(i+1))))
			}
		}
		s.content = slices.Concat(m.parts...)
		s.open = func(e env.Env, content []byte) (Log, error) {
			return openSegments(e, &memoryMapping{size: segmentSize, parts: partsOf(content)}, segmentSize)
		}
		return s, nil
	}
	r := newRecorder()
	l, err := onFiles()[name](e, r)
	if err == nil {
		err = errors.Join(fill(l, entries), l.Close())
	}
	if err != nil {
		return s, err
	}
	inode := slices.Collect(maps.Values(r.now.names))[0]
	s.content = r.now.files[inode]
	for _, ev := range r.trace {
		if end := int(ev.at) + len(ev.data); ev.op == "write" && !slices.Contains(s.ends, end) {
			s.ends = append(s.ends, end)
		}
	}
	s.open = func(e env.Env, content []byte) (Log, error) {
		return onFiles()[name](e, recorderOf(image{r.now.names, map[int][]byte{inode: content}}))
	}
	return s, nil
}

func fill(l Log, entries int) error {
	for i := range uint64(entries) {
		if _, err := l.Append([]byte(text(i + 1))); err != nil {
			return err
		}
	}
	return nil
}

// expect checks that a log recovers exactly that many entries, and then continues.
func (s stored) expect(e env.Env, content []byte, want int) error {
	l, err := s.open(e, content)
	if err != nil {
		return err
	}
	n, err := recovered(l)
	if err == nil && int(n) != want {
		err = fmt.Errorf("%d entries are there, not %d", n, want)
	}
	if err == nil {
		var index uint64
		if index, err = l.Append([]byte(text(n + 1))); err == nil && index != n+1 {
			err = fmt.Errorf("the next index is %d, after %d", index, n)
		}
	}
	if m, ok := l.(*mapped); ok && err == nil { // the same entry again must not bring back those that followed it
		again, wrong := openSegments(e, m.f, segmentSize)
		if wrong != nil {
			return wrong
		}
		if got, wrong := recovered(again); wrong != nil || got != n+1 {
			err = fmt.Errorf("after one more than %d entries, %d are there: %w", n, got, wrong)
		}
	}
	return errors.Join(err, l.Close())
}

// TestTruncation truncates logs at every byte of their last three entries.
func TestTruncation(t *testing.T) {
	for _, name := range []string{"file", "binary", "group", "mapped"} {
		inWorld(t, func(e env.Env) error {
			const entries = 23
			s, err := store(e, name, entries)
			if err != nil {
				return err
			}
			if len(s.ends) != entries+1 {
				return fmt.Errorf("%s: %d ends", name, len(s.ends))
			}
			for n := s.ends[entries-3]; n < s.ends[entries]; n++ {
				want, _ := slices.BinarySearch(s.ends, n+1)
				if err := s.expect(e, s.content[:n:n], want-1); err != nil {
					return fmt.Errorf("%s, %d of %d bytes: %w", name, n, len(s.content), err)
				}
			}
			return s.expect(e, s.content, entries)
		})
	}
}

// TestBitFlips changes single bits. All entries before the changed one remain, and none after it.
func TestBitFlips(t *testing.T) {
	for _, name := range []string{"binary", "group", "mapped"} {
		inWorld(t, func(e env.Env) error {
			const entries = 23
			s, err := store(e, name, entries)
			if err != nil {
				return err
			}
			rnd := rand.New(rand.NewPCG(3, 4))
			for range 10_000 {
				at := rnd.IntN(s.ends[entries])
				content := slices.Clone(s.content)
				content[at] ^= 1 << rnd.IntN(8)
				if at < len(frameHeader) {
					if l, err := s.open(e, content); err == nil || !strings.Contains(err.Error(), "is not a log") {
						return fmt.Errorf("%s with another header: %v %v", name, l, err)
					}
					continue
				}
				found, _ := slices.BinarySearch(s.ends, at+1)
				want := found - 1
				if name == "mapped" { // no bit counts between the last frame of a segment and the next segment
					want = s.damaged(at, want)
				}
				if err := s.expect(e, content, want); err != nil {
					return fmt.Errorf("%s, bit of byte %d: %w", name, at, err)
				}
			}
			return nil
		})
	}
}

// damaged returns the entries that remain in segments if a byte of the entry after the first ones is changed: all, if
// it is after the entry.
func (s stored) damaged(at, first int) int {
	if at < s.ends[first]+frameHead+len(text(uint64(first+1))) {
		return first
	}
	return len(s.ends) - 1
}

// TestForeignFiles checks that a file that is not a log is refused and not changed.
func TestForeignFiles(t *testing.T) {
	for name, file := range map[string]string{"binary": "frames", "group": "frames", "file": "lines.json"} {
		for _, content := range []string{"a letter", `{"index":2,"data":""}` + "\n", strings.Repeat("x", 1000)} {
			inWorld(t, func(e env.Env) error {
				r := recorderOf(image{map[string]int{file: 1}, map[int][]byte{1: []byte(content)}})
				if _, err := onFiles()[name](e, r); err == nil || !strings.Contains(err.Error(), "is not a log") {
					return fmt.Errorf("%s, %q: %v", name, content, err)
				}
				changes := slices.DeleteFunc(r.trace, func(ev event) bool { return ev.op == "syncdir" })
				if len(changes) > 0 || string(r.now.files[1]) != content {
					return fmt.Errorf("%s, %q was changed: %v", name, content, changes)
				}
				return nil
			})
		}
	}
}

// TestUnborn checks that a mapped log begins again after a kill while its header was copied.
func TestUnborn(t *testing.T) {
	for n := range len(frameHeader) {
		inWorld(t, func(e env.Env) error {
			first := make([]byte, segmentSize)
			copy(first[n:], frameHeader[n:])
			l, err := openSegments(e, &memoryMapping{size: segmentSize, parts: [][]byte{first}}, segmentSize)
			if err != nil {
				return err
			}
			return fill(l, 3)
		})
	}
}

// FuzzRecover opens files of any content. A log of what it recovers must recover the same.
func FuzzRecover(f *testing.F) {
	inWorld(f, func(e env.Env) error {
		for _, name := range []string{"binary", "mapped", "file"} {
			s, err := store(e, name, 5)
			if err != nil {
				return err
			}
			f.Add(s.content)
			f.Add(s.content[:len(s.content)/2])
		}
		return nil
	})
	f.Add([]byte(frameHeader + "\x04\x00\x00\x00\x00\x00\x00\x00"))
	f.Add([]byte(frameHeader + "\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Add([]byte(lineStart + "\"data\":null}\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		inWorld(t, func(e env.Env) error {
			r := recorderOf(image{map[string]int{"frames": 1, "lines.json": 2},
				map[int][]byte{1: content, 2: slices.Clone(content)}})
			m := &memoryMapping{size: segmentSize, parts: partsOf(content)}
			for name, open := range map[string]func() (Log, error){
				"binary": func() (Log, error) { return openFramed(e, r) },
				"file":   func() (Log, error) { return openLines(e, r, false) },
				"mapped": func() (Log, error) { return openSegments(e, m, segmentSize) },
			} {
				l, err := open()
				if err != nil {
					continue
				}
				entries := all(l)
				if _, err := l.Append([]byte("next")); err != nil {
					return err
				}
				if err := l.Close(); err != nil {
					return err
				}
				if l, err = open(); err != nil {
					return err
				}
				if got := all(l); !slices.Equal(got, append(entries, "next")) {
					return fmt.Errorf("%s: %q, then %q", name, entries, got)
				}
			}
			return nil
		})
	})
}

// all returns the entries of a log.
func all(l Log) (entries []string) {
	for i := uint64(1); ; i++ {
		data, err := l.Get(i)
		if err != nil {
			return entries
		}
		entries = append(entries, string(data))
	}
}
