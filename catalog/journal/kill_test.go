//go:build unix

package journal

import (
	"bufio"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/plan"
)

// kills is how often a process is killed for each design.
var kills = flag.Int("kills", 34, "how often TestKill kills a process for each design")

// killed are the designs that TestKill tests. All but async survive it.
func killed() map[string]Open {
	return map[string]Open{"file": openFile, "file-sync": openFileSync, "async": openAsync, "binary": openBinary,
		"group": openGroup, "mapped": openPages}
}

// openPages opens a mapped log with segments of a page, so that kills come while it grows.
func openPages(e env.Env, dir string, _ plan.Point) (Log, error) {
	size := os.Getpagesize()
	f, err := openMapping(dir, "mapped", int64(size))
	if err != nil {
		return nil, err
	}
	return openSegments(e, f, size)
}

const (
	killCallers = 4
	killQueue   = 16
)

// killPoint is the point of the designs in TestKill.
func killPoint() plan.Point {
	return plan.NewPoint(plan.Setting{Factor: "queue", Level: plan.IntLevel(killQueue)})
}

// appendUntilKilled is the process that TestKill kills. Each caller writes to standard output its number and the index
// after each append. Caller killCallers stands for a Flush, with the last index that was acknowledged before.
func appendUntilKilled(design, dir string) error {
	var err error
	left := live.New(live.Config{}).Run("killed", func(e env.Env) {
		var l Log
		if l, err = killed()[design](e, dir, killPoint()); err != nil {
			return
		}
		var lock sync.Mutex
		last := uint64(0)
		say := func(caller int, index uint64) {
			lock.Lock()
			defer lock.Unlock()
			last = max(last, index)
			fmt.Printf("%d %d\n", caller, index)
		}
		done := e.Group()
		for c := range killCallers {
			done.Go(e, "caller", func(env.Env) {
				for k := 0; ; k++ {
					index, err := l.Append(killEntry(c, k))
					if err != nil {
						fmt.Println(err)
						return
					}
					say(c, index)
					if c == 0 && k%50 == 49 {
						lock.Lock()
						before := last
						lock.Unlock()
						if err := l.Flush(); err != nil {
							fmt.Println(err)
							return
						}
						say(killCallers, before)
					}
				}
			})
		}
		done.Wait()
	})
	return errors.Join(err, left)
}

// killEntry returns an entry of a caller, whose size varies.
func killEntry(caller, k int) []byte {
	b := make([]byte, 8+k%300)
	binary.LittleEndian.PutUint32(b, uint32(caller))
	binary.LittleEndian.PutUint32(b[4:], uint32(k))
	return b
}

// TestKill kills a process with SIGKILL after a random number of acknowledgements. The log that it leaves must have
// every acknowledged entry, and those of each caller in order. Async may lose as many as it declares, but none that a
// Flush covers.
func TestKill(t *testing.T) {
	for name := range killed() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(5, uint64(len(name))))
			lost := 0
			for i := range *kills {
				most := 1500
				if name == "file-sync" {
					most = 100 // each takes a sync
				}
				n, err := kill(t, name, rnd.IntN(most))
				if err != nil {
					t.Fatalf("%s, kill %d: %v", name, i+1, err)
				}
				lost = max(lost, n)
			}
			t.Logf("%d kills, at most %d acknowledged entries lost", *kills, lost)
		})
	}
}

// kill kills a process after some acknowledgements, and returns the number of acknowledged entries that were lost.
func kill(t *testing.T, name string, after int) (lost int, err error) {
	dir := t.TempDir()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "JOURNAL_KILL="+name, "JOURNAL_DIR="+dir)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		return 0, err
	}
	acked, flushed, owners := uint64(0), uint64(0), map[uint64]int{}
	r, n := bufio.NewReader(out), 0
	for {
		var caller int
		var index uint64
		text, err := r.ReadString('\n')
		if err == io.EOF {
			break // a part of a line was not an acknowledgement
		}
		if _, wrong := fmt.Sscanf(text, "%d %d\n", &caller, &index); err != nil || wrong != nil {
			return 0, errors.Join(fmt.Errorf("%q: %w %w", text, err, wrong), c.Process.Kill(), c.Wait())
		}
		if caller == killCallers {
			flushed = max(flushed, index)
		} else {
			acked, owners[index] = max(acked, index), caller
		}
		if n++; n == after+1 {
			if err := c.Process.Kill(); err != nil {
				return 0, err
			}
		}
	}
	if err := c.Wait(); n <= after {
		return 0, fmt.Errorf("it ended after %d acknowledgements: %w", n, err)
	}

	left := live.New(live.Config{}).Run("again", func(e env.Env) {
		var l Log
		if l, err = killed()[name](e, dir, killPoint()); err == nil {
			lost, err = complete(l, name, acked, flushed, owners)
			err = errors.Join(err, l.Close())
		}
	})
	return lost, errors.Join(err, left)
}

// complete checks the entries of a log after a kill. It returns the number of acknowledged entries that were lost.
func complete(l Log, name string, acked, flushed uint64, owners map[uint64]int) (lost int, err error) {
	var next [killCallers]int
	there := uint64(0)
	for {
		data, err := l.Get(there + 1)
		if errors.Is(err, ErrNotFound) {
			break
		}
		if err != nil || len(data) < 8 {
			return 0, fmt.Errorf("entry %d is %q: %w", there+1, data, err)
		}
		caller, k := int(binary.LittleEndian.Uint32(data)), int(binary.LittleEndian.Uint32(data[4:]))
		owner, known := owners[there+1]
		if caller >= killCallers || string(data) != string(killEntry(caller, k)) || k != next[caller] ||
			known && owner != caller {
			return 0, fmt.Errorf("entry %d is %q: entry %d of caller %d", there+1, data, k, caller)
		}
		next[caller]++
		there++
	}
	if there < acked {
		lost = int(acked - there)
	}
	bound := 0
	if name == "async" {
		bound = killQueue + maxAsyncBatch
	}
	if lost > bound || there < flushed {
		return 0, fmt.Errorf("entry %d was acknowledged and %d flushed, and %d are there", acked, flushed, there)
	}
	return lost, nil
}
