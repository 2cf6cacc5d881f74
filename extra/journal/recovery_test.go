//go:build unix

package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/brewput/brewput/catalog/journal"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/plan"
)

// opens are the constructors of the logs.
func opens() map[string]journal.Open {
	return map[string]journal.Open{"goleveldb": openGoleveldb, "pebble": openPebble, "bbolt": openBbolt,
		"tidwall-wal": openTidwall}
}

// Variables of a child, which appends to a log.
const (
	childDesign = "BREWPUT_TEST_JOURNAL"       // the design
	childDir    = "BREWPUT_TEST_JOURNAL_DIR"   // its directory
	childLimit  = "BREWPUT_TEST_JOURNAL_LIMIT" // largest size of a file in bytes; "": none
	childBytes  = "BREWPUT_TEST_JOURNAL_BYTES" // to add to each entry; "": none
)

// Exit codes of a child.
const (
	exitAll      = 10 // all entries were acknowledged
	exitOpen     = 11 // the log could not be opened
	exitFailed   = 12 // an append failed, and so did those after it
	exitWentOn   = 13 // an append after a failed one was acknowledged
	exitBadIndex = 14
)

const (
	callers   = 3
	perCaller = 200
)

func TestMain(m *testing.M) {
	if name := os.Getenv(childDesign); name != "" {
		os.Exit(child(opens()[name], os.Getenv(childDir), os.Getenv(childLimit)))
	}
	os.Exit(m.Run())
}

// entryOf is the entry of an index: its contents tell which it is. The first bytes name the caller and its count.
func entryOf(caller, k int) []byte {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(caller)), uint32(k))
	more, _ := strconv.Atoi(os.Getenv(childBytes))
	return append(head, bytes.Repeat([]byte{byte(caller ^ k)}, 10+k%90+more)...)
}

// inWorld calls f in the live world.
func inWorld(f func(env.Env)) error {
	return live.New(live.Config{Seed: 1, BurnRate: 1}).Run("test", f)
}

// child appends from several goroutines. Each acknowledged entry is recorded in a file that is mapped into memory, so
// that no system call of the record can fail: caller and count by index.
func child(open journal.Open, dir, limit string) (code int) {
	if limit != "" {
		n, _ := strconv.ParseUint(limit, 10, 64)
		signal.Ignore(syscall.SIGXFSZ) // a write beyond the limit is then an error, and does not end the process
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
			return exitOpen
		}
	}
	record, err := mapRecord(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitOpen
	}
	code = exitAll
	inWorld(func(e env.Env) {
		l, err := open(e, dir, plan.Point{})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = exitOpen
			return
		}
		var done sync.WaitGroup
		var codes [callers]int
		for c := range callers {
			done.Go(func() { codes[c] = appendAll(l, c, record) })
		}
		done.Wait()
		code = max(codes[0], codes[1], codes[2])
	})
	return code
}

// appendAll appends the entries of a caller until one fails, and then tries two more.
func appendAll(l journal.Log, c int, record []byte) int {
	for k := range perCaller {
		index, err := l.Append(entryOf(c, k))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			for range 2 {
				if _, err := l.Append(entryOf(c, k)); err == nil {
					return exitWentOn
				}
			}
			return exitFailed
		}
		if index < 1 || index > callers*perCaller {
			return exitBadIndex
		}
		at := record[8*(index-1):]
		binary.BigEndian.PutUint32(at[4:], uint32(k))
		binary.BigEndian.PutUint32(at, uint32(c+1)) // last, because it says that the entry is there
	}
	return exitAll
}

// recordName is the file of the acknowledged entries.
const recordName = "acknowledged"

// mapRecord maps the record into memory. It is written before the size of files is limited, and exists then.
func mapRecord(dir string) ([]byte, error) {
	f, err := os.OpenFile(filepath.Join(filepath.Dir(dir), recordName), os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return syscall.Mmap(int(f.Fd()), 0, 8*callers*perCaller, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
}

// acknowledged returns the entries that were acknowledged, by index.
func acknowledged(t *testing.T, dir string) map[uint64][]byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(filepath.Dir(dir), recordName))
	if err != nil {
		t.Fatal(err)
	}
	m := map[uint64][]byte{}
	for i := 0; i < len(text); i += 8 {
		if c := binary.BigEndian.Uint32(text[i:]); c > 0 {
			m[uint64(i/8)+1] = entryOf(int(c-1), int(binary.BigEndian.Uint32(text[i+4:])))
		}
	}
	return m
}

// newDir returns an empty directory for a log, next to an empty record.
func newDir(t *testing.T) string {
	t.Helper()
	parent := t.TempDir()
	dir := filepath.Join(parent, "log")
	if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(parent, recordName),
		make([]byte, 8*callers*perCaller), 0o644)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// command returns a child, run by a tool such as strace if it is given.
func command(design, dir string, tool ...string) (*exec.Cmd, *bytes.Buffer) {
	words := append(tool, os.Args[0])
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = append(os.Environ(), childDesign+"="+design, childDir+"="+dir)
	out := new(bytes.Buffer)
	cmd.Stderr = out
	return cmd, out
}

// recovered opens the log and returns its entries, which must be dense. It appends one more, and opens the log again.
func recovered(t *testing.T, open journal.Open, dir string) (entries [][]byte, err error) {
	t.Helper()
	left := inWorld(func(e env.Env) {
		for again := range 2 {
			var l journal.Log
			if l, err = opened(e, open, dir); err != nil {
				return
			}
			var found [][]byte
			for index := uint64(1); ; index++ {
				data, err := l.Get(index)
				if errors.Is(err, journal.ErrNotFound) {
					break
				}
				if err != nil {
					t.Errorf("entry %d: %v", index, err)
					break
				}
				found = append(found, data)
			}
			if again == 0 {
				entries = found
				index, err := l.Append([]byte("after"))
				if err != nil || index != uint64(len(found))+1 {
					t.Errorf("%d entries were recovered, and the next one got the index %d, %v", len(found), index, err)
				}
			} else if len(found) != len(entries)+1 || string(found[len(entries)]) != "after" {
				t.Errorf("%d entries after %d and one more", len(found), len(entries))
			}
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	if left != nil {
		t.Error(left)
	}
	return entries, err
}

// opened opens the log. A panic is an error, and so is an access to a page that a mapped file no longer has.
func opened(e env.Env, open journal.Open, dir string) (l journal.Log, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return open(e, dir, plan.Point{})
}

// checkRecovered checks that every acknowledged entry was recovered.
func checkRecovered(t *testing.T, acked map[uint64][]byte, entries [][]byte) {
	t.Helper()
	for index, want := range acked {
		if index > uint64(len(entries)) {
			t.Errorf("entry %d was acknowledged, and %d were recovered", index, len(entries))
		} else if !bytes.Equal(entries[index-1], want) {
			t.Errorf("entry %d is %.20q, want %.20q", index, entries[index-1], want)
		}
	}
}

// TestFirstIndex checks that all logs begin with the index 1, without gaps, also after they are opened again.
func TestFirstIndex(t *testing.T) {
	for name, open := range opens() {
		t.Run(name, func(t *testing.T) {
			dir := newDir(t)
			if entries, err := recovered(t, open, dir); err != nil || len(entries) != 0 {
				t.Errorf("%q, %v", entries, err)
			}
			entries, err := recovered(t, open, dir)
			if err != nil || len(entries) != 1 {
				t.Errorf("%q, %v", entries, err)
			}
		})
	}
}

// TestKill kills children when they have acknowledged some entries.
func TestKill(t *testing.T) {
	for name, open := range opens() {
		for _, after := range []int{0, 1, 40, 333, 599} {
			t.Run(fmt.Sprint(name, " after ", after), func(t *testing.T) {
				dir := newDir(t)
				cmd, out := command(name, dir)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				over := make(chan error, 1)
				go func() { over <- cmd.Wait() }()
				ended := false
				for !ended && len(acknowledged(t, dir)) < after {
					select {
					case <-over:
						ended = true
					case <-time.After(time.Millisecond): // another goroutine of the child acknowledges meanwhile
					}
				}
				if !ended {
					cmd.Process.Kill()
					<-over
				}
				acked := acknowledged(t, dir)
				if len(acked) < after {
					t.Fatalf("%d were acknowledged:\n%s", len(acked), out)
				}
				entries, err := recovered(t, open, dir)
				if err != nil {
					t.Fatal(err)
				}
				checkRecovered(t, acked, entries)
			})
		}
	}
}

// logFile is the file that a log wrote last: the largest whose name ends as the design's files do.
func logFile(t *testing.T, dir string) (path string, size int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil && info.Size() > size && !strings.Contains(filepath.Base(p), "OPTIONS") {
			path, size = p, info.Size()
		}
		return err
	})
	if err != nil || path == "" {
		t.Fatal(path, err)
	}
	return path, size
}

// damaged are the outcomes of a log whose file lost its last bytes: prefix recovers the entries before them, and
// refused cannot be opened any more: bbolt panics.
func damaged() map[string]string {
	return map[string]string{"goleveldb": "prefix", "pebble": "prefix", "bbolt": "refused", "tidwall-wal": "prefix"}
}

// covered returns the number of entries at the end that a cut of some bytes can damage: those whose data it may reach,
// and one for each other caller, because the callers that wait share a batch.
func covered(acked map[uint64][]byte, cut int64) (n int) {
	for index := uint64(len(acked)); index > 0 && cut > 0; index-- {
		cut -= int64(len(acked[index]))
		n++
	}
	return n + callers - 1
}

// TestTruncated cuts bytes from the end of the file that a killed child wrote.
func TestTruncated(t *testing.T) {
	for name, open := range opens() {
		dir := newDir(t)
		cmd, out := command(name, dir)
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != exitAll { // it exits without closing the log
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		acked := acknowledged(t, dir)
		_, size := logFile(t, dir)
		cuts := map[string][]int64{"goleveldb": {1, 2, 7, 20, 300}, "pebble": {1, 2, 7, 20, 300},
			"bbolt":       {100_000, size - 3*4096}, // its file ends with pages that are not used
			"tidwall-wal": {1, 2, 7, 20, 300},
		}[name]
		for _, cut := range cuts {
			t.Run(fmt.Sprint(name, " by ", cut), func(t *testing.T) {
				copied := filepath.Join(t.TempDir(), "log")
				if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
					t.Fatal(err)
				}
				path, size := logFile(t, copied)
				if err := os.Truncate(path, size-cut); err != nil {
					t.Fatal(err)
				}
				entries, err := recovered(t, open, copied)
				if damaged()[name] == "refused" {
					if err == nil {
						t.Errorf("%d entries were recovered; this log refused its damaged file before", len(entries))
					}
					t.Log(err)
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if least := len(acked) - covered(acked, cut); len(entries) < least {
					t.Errorf("%d entries of %d, want at least %d", len(entries), len(acked), least)
				}
				for i, data := range entries {
					if !bytes.Equal(data, acked[uint64(i)+1]) {
						t.Fatalf("entry %d is %.20q, want %.20q", i+1, data, acked[uint64(i)+1])
					}
				}
				t.Logf("%d of %d entries", len(entries), len(acked))
			})
		}
	}
}
