package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/brewput/brewput/result"
)

// withoutSync opens real files whose Sync does nothing, which is fast.
func withoutSync(path string) (file, error) { return (&disk{left: 1 << 40}).open(path) }

// disk simulates a disk that fails.
type disk struct {
	left     int64 // bytes that can be written before it is full
	stuck    bool  // once full, it cannot truncate either
	full     bool  // it was full
	syncs    int   // calls of Sync before one fails, if one is to fail
	syncFail bool
	writes   []string // names of the files that were written, in order
}

type diskFile struct {
	*os.File
	disk *disk
}

func (d *disk) open(path string) (file, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	return diskFile{f.(*os.File), d}, nil
}

func (f diskFile) WriteAt(b []byte, at int64) (int, error) {
	f.disk.writes = append(f.disk.writes, filepath.Base(f.Name()))
	n := min(int64(len(b)), f.disk.left)
	f.disk.left -= n
	if _, err := f.File.WriteAt(b[:n], at); err != nil {
		return 0, err
	}
	if n < int64(len(b)) {
		f.disk.full = true
		return int(n), &fs.PathError{Op: "write", Path: f.Name(), Err: syscall.ENOSPC}
	}
	return len(b), nil
}

func (f diskFile) Truncate(size int64) error {
	if f.disk.stuck && f.disk.full {
		return &fs.PathError{Op: "truncate", Path: f.Name(), Err: syscall.EIO}
	}
	return f.File.Truncate(size)
}

func (f diskFile) Sync() error {
	f.disk.syncs--
	if f.disk.syncFail && f.disk.syncs < 0 {
		return &fs.PathError{Op: "sync", Path: f.Name(), Err: syscall.ENOSPC}
	}
	return nil
}

// TestDiskFullAnywhere fills the disk after every number of bytes that the sweep can write.
func TestDiskFullAnywhere(t *testing.T) {
	for _, stuck := range []bool{false, true} {
		parent := t.TempDir()
		each := int64(1)
		if stuck {
			each = 7 // the same paths except for the end, in less time
		}
		for k := int64(0); ; k += each {
			dir := filepath.Join(parent, fmt.Sprint(k))
			must(t, os.Mkdir(dir, 0o777))
			d := &disk{left: k, stuck: stuck}
			n, err := fill(t, d, dir)
			if err == nil {
				break // everything was written
			}
			if !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("%d bytes: %v", k, err)
			}
			if n < 0 {
				wantError(t, err, dir, "nothing is measured yet", "free space and start again")
				r := get(create(dir, header(), withoutSync))(t)
				must(t, r.Close())
				n = 0
			} else {
				wantError(t, err, dir, "free space and resume the run in "+dir, keptBy(n))
			}
			if j := get(Open(dir))(t); !stuck && j.Torn > 0 {
				t.Fatalf("%d bytes: %d left behind", k, j.Torn)
			}
			r, j := get2(t)(resume(dir, withoutSync))
			verify(t, j, sweep(), n)
			complete(t, r, j, sweep())
			verify(t, get(Open(dir))(t), sweep(), len(sweep()))
			must(t, os.RemoveAll(dir))
		}
	}
}

// keptBy returns what an error after n steps of the sweep says is kept. The text for the instrumented trial is
// the same.
func keptBy(n int) string {
	return []string{"no trial was finished", "up to block 1 order 0", "up to block 1 order 1", "up to block 1 order 1",
		"up to block 1 order 1",
		"up to block 0 order 0", "up to block 0 order 0", "up to block 0 order 0"}[n]
}

// fill does the steps of the sweep until one fails, and returns its number; -1 for the header.
func fill(t *testing.T, d *disk, dir string) (int, error) {
	r, err := create(dir, header(), d.open)
	if err != nil {
		return -1, err
	}
	defer r.Close()
	for i, s := range sweep() {
		err := s.do(r)
		if err == nil {
			continue
		}
		again := s.do(r) // the disk is still full
		if !errors.Is(again, syscall.ENOSPC) {
			t.Fatalf("the second time: %v", again)
		}
		if d.syncFail {
			d.syncFail = false // too late
			if again := s.do(r); again == nil || again.Error() != err.Error() {
				t.Fatalf("the third time: %v; want %v", again, err)
			}
		}
		return i, err
	}
	return len(sweep()), nil
}

// TestDiskFreed continues without reopening once the disk has space again.
func TestDiskFreed(t *testing.T) {
	full := map[string]bool{}
	for space := int64(0); space < 600; space += 20 {
		dir := filepath.Join(t.TempDir(), "run")
		d := &disk{left: 1 << 20}
		r := get(create(dir, header(), d.open))(t)
		for _, s := range sweep() {
			d.left = space
			if err := s.do(r); err != nil {
				if !errors.Is(err, syscall.ENOSPC) {
					t.Fatal(err)
				}
				full[d.writes[len(d.writes)-1]] = true
				d.left = 1 << 20
				must(t, s.do(r))
			}
		}
		must(t, r.Close())
		verify(t, get(Open(dir))(t), sweep(), len(sweep()))
	}
	if len(full) != 2 {
		t.Errorf("the disk was full for %v only", full)
	}
}

// TestOneWrite checks that each record is one write, the histogram before its trial.
func TestOneWrite(t *testing.T) {
	d := &disk{left: 1 << 20}
	_, err := fill(t, d, filepath.Join(t.TempDir(), "run"))
	must(t, err)
	const trial = histogramsName + " " + journalName + " "
	want := journalName + " " + trial + trial + journalName + " " + journalName + " " + trial + trial + journalName +
		" " + journalName
	if got := strings.Join(d.writes, " "); got != want {
		t.Errorf("writes\n%s; want\n%s", got, want)
	}
}

// TestSyncFails lets each sync fail in turn. Nothing more is written after that, because the content of the
// disk is unknown.
func TestSyncFails(t *testing.T) {
	for syncs := 0; ; syncs++ {
		dir := filepath.Join(t.TempDir(), "run")
		d := &disk{left: 1 << 20, syncs: syncs, syncFail: true}
		n, err := fill(t, d, dir)
		if err == nil {
			if syncs != 2*5 { // two files: header, two blocks, interim analysis, end
				t.Errorf("%d syncs", syncs)
			}
			return
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
		if n < 0 {
			continue
		}
		// Steps 2, 3, 6 and 7 sync. What the previous sync wrote is kept for certain.
		kept := map[int]string{2: "no trial was finished", 3: "up to block 1 order 1", 6: "up to block 1 order 1",
			7: "up to block 0 order 0"}[n]
		wantError(t, err, kept, "resume the run in "+dir)
		r, j := get2(t)(resume(dir, withoutSync))
		complete(t, r, j, sweep())
		verify(t, get(Open(dir))(t), sweep(), len(sweep()))
	}
}

// TestCutAnywhere cuts the journal at every byte.
func TestCutAnywhere(t *testing.T) {
	source := write(t, sweep())
	journal := get(os.ReadFile(filepath.Join(source, journalName)))(t)
	histograms := get(os.ReadFile(filepath.Join(source, histogramsName)))(t)
	dir := t.TempDir()
	for k := range len(journal) + 1 {
		replace(t, filepath.Join(dir, journalName), journal[:k])
		replace(t, filepath.Join(dir, histogramsName), histograms)
		whole := bytes.Count(journal[:k], []byte("\n"))
		j, err := Open(dir)
		if whole == 0 {
			wantError(t, err, dir, "holds no whole line")
			replace(t, filepath.Join(dir, histogramsName), nil) // their state at that time
			_, err = Open(dir)
			wantError(t, err, dir, "stopped before its header was written")
			_, _, err = resume(dir, withoutSync)
			wantError(t, err, dir, "stopped before its header was written")
			continue
		}
		must(t, err)
		verify(t, j, sweep(), whole-1)
		if want := int64(k - 1 - bytes.LastIndexByte(journal[:k], '\n')); j.Torn != want {
			t.Fatalf("cut at %d: torn %d; want %d", k, j.Torn, want)
		}
		r, j := get2(t)(resume(dir, withoutSync))
		verify(t, j, sweep(), whole-1)
		kept := bytes.SplitAfter(histograms, []byte("\n"))[:len(j.Trials)]
		if got, want := size(t, dir, histogramsName), len(bytes.Join(kept, nil)); got != int64(want) {
			t.Fatalf("cut at %d: %d bytes of histograms for %d trials; want %d", k, got, len(j.Trials), want)
		}
		complete(t, r, j, sweep())
		for name, want := range map[string][]byte{journalName: journal, histogramsName: histograms} {
			if got := get(os.ReadFile(filepath.Join(dir, name)))(t); !bytes.Equal(got, want) {
				t.Fatalf("cut at %d: %s differs after resuming:\n%s", k, name, got)
			}
		}
	}
}

// replace writes a new file, because overwriting a file makes some file systems wait for the disk.
func replace(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		must(t, err)
	}
	must(t, os.WriteFile(path, content, 0o666))
}

// TestFlipAnywhere changes every byte of the journal.
func TestFlipAnywhere(t *testing.T) {
	dir := write(t, sweep())
	path := filepath.Join(dir, journalName)
	journal := get(os.ReadFile(path))(t)
	last := bytes.Count(journal, []byte("\n"))
	for k := range journal {
		for _, b := range []byte{journal[k] ^ 1, journal[k] ^ 0x80, 0, '\n'} {
			flipped := bytes.Clone(journal)
			flipped[k] = b
			replace(t, path, flipped)
			j, err := Open(dir)
			number := 1 + bytes.Count(journal[:k], []byte("\n"))
			broken := b != '\n' && journal[k] != '\n' && !json.Valid(bytes.Split(flipped, []byte("\n"))[number-1])
			switch {
			case err != nil && !strings.Contains(err.Error(), dir):
				t.Fatalf("byte %d to %q: %v", k, b, err)
			case broken && number < last:
				wantError(t, err, fmt.Sprintf("%s:%d:", path, number))
			case broken:
				must(t, err)
				verify(t, j, sweep(), len(sweep())-1)
			}
		}
	}
}

// TestPowerCuts repeatedly cuts both files at random after what was synced, and flips bits of the histograms
// there. What was synced stays, and in the end each record is there once.
func TestPowerCuts(t *testing.T) {
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 1))
		steps := randomSweep(rng)
		dir := write(t, nil)
		synced := 0 // number of steps
		sizes := [2]int64{size(t, dir, journalName), size(t, dir, histogramsName)}
		for crashes := rng.IntN(6); ; crashes-- {
			r, j := get2(t)(resume(dir, withoutSync))
			n := 0
			for n < len(steps) && steps[n].done(j) {
				n++
			}
			verify(t, j, steps, n)
			if n < synced {
				t.Fatalf("seed %d: %d steps are left; %d were synced", seed, n, synced)
			}
			if crashes == 0 {
				complete(t, r, j, steps)
				break
			}
			for range rng.IntN(len(steps) - n + 1) {
				must(t, steps[n].do(r))
				n++
				if !steps[n-1].isTrial() {
					synced = n
					sizes = [2]int64{size(t, dir, journalName), size(t, dir, histogramsName)}
				}
			}
			must(t, r.Close())
			cutAtRandom(t, rng, filepath.Join(dir, journalName), sizes[0])
			cutAtRandom(t, rng, filepath.Join(dir, histogramsName), sizes[1])
		}
		j := get(Open(dir))(t)
		verify(t, j, steps, len(steps))
		if j.Torn != 0 {
			t.Fatalf("seed %d: torn %d", seed, j.Torn)
		}
	}
}

func randomSweep(rng *rand.Rand) []step {
	var steps []step
	blocks := 1 + rng.IntN(3)
	for b := range blocks {
		n := rng.IntN(5)
		for o := range n {
			steps = append(steps, step{kind: []string{result.KindTrial, result.KindInstrumented}[rng.IntN(2)], block: b,
				order: o})
		}
		steps = append(steps, step{kind: kindBlock, block: b, trialsInBlock: n})
	}
	return append(steps, step{kind: kindEnd})
}

func size(t *testing.T, dir, name string) int64 {
	t.Helper()
	return get(os.Stat(filepath.Join(dir, name)))(t).Size()
}

// cutAtRandom cuts a file at random after its first safe bytes. Some file systems then leave zeros in place of
// the bytes.
func cutAtRandom(t *testing.T, rng *rand.Rand, path string, safe int64) {
	t.Helper()
	length := get(os.Stat(path))(t).Size()
	must(t, os.Truncate(path, safe+rng.Int64N(length-safe+1)))
	if rng.IntN(3) == 0 {
		must(t, os.Truncate(path, length))
	}
}
