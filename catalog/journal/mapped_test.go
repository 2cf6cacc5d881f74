//go:build unix

package journal

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"testing"

	"github.com/brewput/brewput/env"
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

			l, err := openSegments(e, f, size)
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
