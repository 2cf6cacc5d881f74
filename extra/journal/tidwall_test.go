//go:build unix

package journal

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/wal"

	"github.com/brewput/brewput/catalog/journal"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
)

// walImage returns the file of a log with some entries, a size for each.
func walImage(t *testing.T, sizes ...int) []byte {
	t.Helper()
	dir := t.TempDir()
	left := inWorld(func(e env.Env) {
		l, err := openTidwall(e, dir, plan.Point{})
		if err != nil {
			t.Error(err)
			return
		}
		for k, size := range sizes {
			if _, err := l.Append(walEntry(k, size)); err != nil {
				t.Error(err)
			}
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	file, err := os.ReadFile(filepath.Join(dir, "wal", fmt.Sprintf("%020d", 1)))
	if left != nil || err != nil {
		t.Fatal(left, err)
	}
	return file
}

// walEntry is an entry of walImage. It has no zeros.
func walEntry(k, size int) []byte { return bytes.Repeat([]byte{byte(k + 1)}, size) }

// walDir returns the directory of a log with these segments, each but the last of two entries.
func walDir(t *testing.T, segments ...[]byte) string {
	t.Helper()
	dir := t.TempDir()
	err := (&walLog{dir: filepath.Join(dir, "wal")}).mark()
	for i, file := range segments {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, "wal", fmt.Sprintf("%020d", 1+2*i)), file, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// walRecovered returns the number of entries of a log with a file, which must be those of walImage.
func walRecovered(t *testing.T, file []byte, sizes ...int) int {
	t.Helper()
	dir := walDir(t, file)
	entries, err := recovered(t, openTidwall, dir)
	if err != nil {
		t.Fatal(err)
	}
	for k, data := range entries {
		if k >= len(sizes) || !bytes.Equal(data, walEntry(k, sizes[k])) {
			t.Fatalf("entry %d is %.20q: nobody appended it", k+1, data)
		}
	}
	return len(entries)
}

// TestTidwallLosesPower loses the power during an append after two that were acknowledged: the file ends anywhere in
// what it writes, or has zeros there, or pieces of it did not reach the device. What is recovered must be the entries
// before the first byte that differs.
func TestTidwallLosesPower(t *testing.T) {
	sizes := []int{0, 50, 0, 40, 130, 3}
	var ends []int
	for n := range sizes {
		ends = append(ends, len(walImage(t, sizes[:n+1]...)))
	}
	acked, file := ends[1], walImage(t, sizes...)
	check := func(what string, image []byte) {
		t.Helper()
		same, want := 0, 0
		for same < min(len(image), len(file)) && image[same] == file[same] {
			same++
		}
		for want < len(ends) && ends[want] <= same {
			want++
		}
		if n := walRecovered(t, image, sizes...); n != want {
			t.Errorf("%s: %d entries, want %d", what, n, want)
		}
	}
	for end := acked; end <= len(file); end += 3 {
		check(fmt.Sprint("a torn tail at ", end), file[:end])
		check(fmt.Sprint("zeros from ", end), append(bytes.Clone(file[:end]), make([]byte, len(file)-end)...))
	}
	check("zeros after the end", append(bytes.Clone(file), make([]byte, 3000)...))
	check("only zeros", make([]byte, 3000))

	rnd := rand.New(rand.NewPCG(7, 1))
	for i := range 60 {
		image := bytes.Clone(file)
		for at := acked; at < len(file); at += 16 {
			if rnd.IntN(3) == 0 {
				clear(image[at:min(at+16, len(file))])
			}
		}
		check(fmt.Sprint("pieces lost, ", i), image)
	}
}

// TestTidwallDamage checks that an entry with a changed bit is not returned, in a segment that is not the last.
func TestTidwallDamage(t *testing.T) {
	first := walImage(t, 3, 4)
	first[len(first)-2] ^= 1
	last := append(walImage(t, 5), make([]byte, 100)...)
	dir := walDir(t, first, last)
	left := inWorld(func(e env.Env) {
		l, err := openTidwall(e, dir, plan.Point{})
		if err != nil {
			t.Error(err)
			return
		}
		for index, size := range map[uint64]int{1: 3, 3: 5} {
			if data, err := l.Get(index); err != nil || !bytes.Equal(data, walEntry(0, size)) {
				t.Errorf("entry %d: %q, %v", index, data, err)
			}
		}
		if data, err := l.Get(2); err == nil || errors.Is(err, journal.ErrNotFound) {
			t.Errorf("the damaged entry: %q, %v", data, err)
		}
		if data, err := l.Get(4); !errors.Is(err, journal.ErrNotFound) {
			t.Errorf("an entry of zeros: %q, %v", data, err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	if left != nil {
		t.Error(left)
	}
}

// TestTidwallForeign checks that a log that the adapter did not write is refused, and stays as it is.
func TestTidwallForeign(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "wal")
	w, err := wal.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(1, []byte("first")), w.Write(2, []byte("second")), w.Close()); err != nil {
		t.Fatal(err)
	}
	if left := inWorld(func(e env.Env) {
		if l, err := openTidwall(e, dir, plan.Point{}); l != nil || err == nil || !strings.Contains(err.Error(), path) ||
			!strings.Contains(err.Error(), "choose another directory") {
			t.Errorf("%v, %v", l, err)
		}
	}); left != nil {
		t.Error(left)
	}
	files, err := os.ReadDir(path)
	if err != nil || len(files) != 1 {
		t.Errorf("the directory has %v, %v", files, err)
	}
	if w, err = wal.Open(path, nil); err != nil {
		t.Fatal(err)
	}
	data, err := w.Read(2)
	if err := errors.Join(err, w.Close()); err != nil || string(data) != "second" {
		t.Errorf("%q, %v", data, err)
	}
}

// TestTidwallInterrupted checks that a log opens if power loss kept its first segment and removed the marker: that is
// possible before the directory was synced, so the segment is empty.
func TestTidwallInterrupted(t *testing.T) {
	dir := walDir(t, nil)
	if err := os.Remove(filepath.Join(dir, "wal", marker)); err != nil {
		t.Fatal(err)
	}
	if entries, err := recovered(t, openTidwall, dir); err != nil || len(entries) > 0 {
		t.Errorf("%q, %v", entries, err)
	}
}

// TestTidwallLargeBatch checks that a batch of several segments syncs the directory after each.
func TestTidwallLargeBatch(t *testing.T) {
	entries := make([][]byte, 60)
	for i := range entries {
		entries[i] = walEntry(i, journal.MaxEntry)
	}
	left := inWorld(func(e env.Env) {
		opened, err := openTidwall(e, t.TempDir(), plan.Point{})
		if err != nil {
			t.Error(err)
			return
		}
		l := opened.(*walLog)
		seen, err := l.countFiles()
		l.syncDirs = func(...string) error {
			n, err := l.countFiles()
			if n > seen+1 {
				t.Errorf("%d segments began before the directory was synced", n-seen)
			}
			seen = n
			return err
		}
		if err := errors.Join(err, l.write(1, entries)); err != nil {
			t.Error(err)
		}
		if n, err := l.countFiles(); err != nil || n != seen || n < 4 {
			t.Errorf("%d files, %d when the directory was synced last; want 3 segments or more and the marker", n, seen)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	if left != nil {
		t.Error(left)
	}
}
