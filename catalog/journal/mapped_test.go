//go:build unix

package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
)

// TestMappedFlush checks the steps of a flush: each segment, the file, and the name of the file. If one of them fails,
// so does the flush.
func TestMappedFlush(t *testing.T) {
	size := os.Getpagesize()
	want := []string{"segment", "segment", "file", "directory"}
	for failing := range len(want) + 1 { // the last one: nothing fails
		inWorld(t, func(e env.Env) error {
			f, err := openMapping(t.TempDir(), "mapped", int64(size))
			if err != nil {
				return err
			}
			l, err := openSegments(e, f, size)
			if err != nil {
				return err
			}
			m, steps := f.(*mappedFile), []string(nil)
			step := func(name string, then func() error) error {
				if steps = append(steps, name); len(steps) == failing+1 {
					return syscall.EIO
				}
				return then()
			}
			onSegment, onFile, onDir := m.msync, m.dataSync, m.dirSync
			m.msync = func(s []byte) error { return step("segment", func() error { return onSegment(s) }) }
			m.dataSync = func(f *os.File) error { return step("file", func() error { return onFile(f) }) }
			m.dirSync = func() error { return step("directory", onDir) }
			for i := uint64(1); err == nil && m.count() < 2; i++ {
				_, err = l.Append([]byte(text(i)))
			}
			if err != nil {
				return err
			}
			err = l.Flush()
			if n := min(failing+1, len(want)); !slices.Equal(steps, want[:n]) {
				return fmt.Errorf("steps %q, want %q", steps, want[:n])
			}
			if failed := failing < len(want); errors.Is(err, syscall.EIO) != failed || !failed && err != nil {
				return fmt.Errorf("step %d failed: %w", failing+1, err)
			}
			return l.Close()
		})
	}
}

// TestMappedWritesBack checks that opening a log stores to each page that has a frame, which makes the page dirty. It
// protects one page after the other, so that a store to it panics.
func TestMappedWritesBack(t *testing.T) {
	size := 2 * os.Getpagesize()
	inWorld(t, func(e env.Env) error {
		m := &memoryMapping{size: size}
		l, err := openSegments(e, m, size)
		for i := uint64(1); err == nil && (len(m.parts) < 2 || l.(*mapped).end <= size/2); i++ {
			_, err = l.Append([]byte(text(i)))
		}
		if err != nil {
			return err
		}
		for i, part := range m.parts {
			mem, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE,
				syscall.MAP_ANON|syscall.MAP_PRIVATE)
			if err != nil {
				return err
			}
			defer syscall.Munmap(mem)
			copy(mem, part)
			m.parts[i] = mem
		}
		for i := range 4 {
			page := m.parts[i/2][i%2*size/2:][:size/2]
			if err := syscall.Mprotect(page, syscall.PROT_READ); err != nil {
				return err
			}
			if !faults(func() { _, err = openSegments(e, m, size) }) {
				return fmt.Errorf("no store to page %d: %v", i, err)
			}
			if err := syscall.Mprotect(page, syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
				return err
			}
		}
		return nil
	})
}

// faults reports whether f accesses protected memory.
func faults(f func()) (fault bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if x := recover(); x != nil {
			_, fault = x.(interface{ Addr() uintptr })
		}
	}()
	f()
	return false
}

// TestMappedForeignFiles checks that a file that is not a log is refused and not changed.
func TestMappedForeignFiles(t *testing.T) {
	for _, content := range []string{"a letter", strings.Repeat("x", 1000), strings.Repeat("x", 1<<16)} {
		inWorld(t, func(e env.Env) error {
			dir := t.TempDir()
			name := filepath.Join(dir, "mapped")
			if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
				return err
			}
			_, err := openMapped(e, dir, plan.Point{})
			if err == nil || !strings.Contains(err.Error(), "is not a log") {
				return fmt.Errorf("%.9q: %v", content, err)
			}
			if got, err := os.ReadFile(name); err != nil || string(got) != content {
				return fmt.Errorf("%.9q was changed to %.9q of %d bytes: %w", content, got, len(got), err)
			}
			return nil
		})
	}
}

// TestMappedFull fills the device, so that the file grows only by a part of a segment. The log must open again without
// more space, with all entries, and go on once there is space.
func TestMappedFull(t *testing.T) {
	dir, size, n := t.TempDir(), os.Getpagesize(), uint64(0)
	full := func(f *os.File, at, n int64) error { return errors.Join(f.Truncate(at+n/2), syscall.ENOSPC) }
	for _, space := range []func(*os.File, int64, int64) error{full, full, reserve} {
		inWorld(t, func(e env.Env) error {
			f, err := openMapping(dir, "mapped", int64(size))
			if err != nil {
				return err
			}
			if n > 0 {
				f.(*mappedFile).reserve = space
			}
			l, err := openSegments(e, f, size)
			if err != nil {
				return err
			}
			if got, err := recovered(l); err != nil || got != n {
				return fmt.Errorf("%d entries, want %d: %w", got, n, err)
			}
			f.(*mappedFile).reserve = space
			for ; err == nil && f.count() < 2; n++ {
				_, err = l.Append([]byte(text(n + 1)))
			}
			if f.count() < 2 {
				n-- // of which Append failed
			}
			if hasSpace := f.count() == 2; !hasSpace && !errors.Is(err, syscall.ENOSPC) || hasSpace && err != nil {
				return fmt.Errorf("entry %d: %w", n, err)
			}
			return l.Close()
		})
	}
}
