package journal

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/brewput/brewput/catalog/journal"
)

// TestPebbleLosesPower appends from several callers in Pebble's file system in memory, and crashes it while they run:
// what is not synced survives with a chance of 0, 50 or 100%. Every entry up to the last that was acknowledged must
// survive, and of those after it a prefix.
func TestPebbleLosesPower(t *testing.T) {
	later := 0
	for seed := range uint64(60) {
		c := &crash{disk: vfs.NewCrashableMem(), acks: 1 + int(seed*7), lost: vfs.CrashCloneCfg{
			UnsyncedDataPercent: int(seed%3) * 50, RNG: rand.New(rand.NewPCG(seed, 1))}}
		entries, err := c.appendAll()
		if err != nil {
			t.Fatal(err)
		}
		n, err := c.check(entries)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		later += n - int(c.last)
	}
	t.Logf("%d entries survived that were acknowledged later or never", later)
}

// crash appends from several callers, and clones the disk after a number of acknowledgements.
type crash struct {
	disk *vfs.MemFS
	acks int
	lost vfs.CrashCloneCfg

	crashed *vfs.MemFS
	last    uint64 // acknowledged before the crash
}

// appendAll returns the entries by index. At the crash, 40 of them are not acknowledged.
func (c *crash) appendAll() (map[uint64]string, error) {
	l, err := openPebbleOn(c.disk, "log")
	if err != nil {
		return nil, err
	}
	const callers = 4
	var lock sync.Mutex // protects the entries and errors, and orders acknowledgements and the crash
	entries, errs := map[uint64]string{}, []error{}
	var done sync.WaitGroup
	for caller := range callers {
		done.Go(func() {
			for k := caller; k < c.acks+40; k += callers {
				data := fmt.Sprint("entry ", k)
				index, err := l.Append([]byte(data))
				lock.Lock()
				errs, entries[index] = append(errs, err), data
				if c.crashed == nil {
					c.last = max(c.last, index)
				}
				if len(entries) == c.acks {
					c.crashed = c.disk.CrashClone(c.lost)
				}
				lock.Unlock()
			}
		})
	}
	done.Wait()
	if len(entries) != c.acks+40 {
		errs = append(errs, fmt.Errorf("%d entries have %d indexes", c.acks+40, len(entries)))
	}
	return entries, errors.Join(append(errs, l.Close())...)
}

// check opens the log after the crash, and returns the number of entries that survived.
func (c *crash) check(entries map[uint64]string) (n int, err error) {
	l, err := openPebbleOn(c.crashed, "log")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	for index := uint64(1); index <= uint64(len(entries))+1; index++ {
		data, err := l.Get(index)
		switch {
		case errors.Is(err, journal.ErrNotFound) && index > c.last:
		case err != nil || string(data) != entries[index] || index > uint64(len(entries)):
			return n, fmt.Errorf("entry %d is %q, %w; want %q; %d was acknowledged", index, data, err, entries[index],
				c.last)
		case n+1 != int(index):
			return n, fmt.Errorf("entry %d follows entry %d", index, n)
		default:
			n++
		}
	}
	return n, nil
}
