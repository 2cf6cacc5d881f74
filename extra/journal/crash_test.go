package journal

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// TestPebbleLosesPower appends in Pebble's file system in memory, and crashes it: what is not synced survives with a
// chance of 0, 50 or 100%. Every acknowledged entry must survive.
func TestPebbleLosesPower(t *testing.T) {
	for seed := range uint64(60) {
		percent := int(seed%3) * 50
		disk := vfs.NewCrashableMem()
		l, err := openPebbleOn(disk, "log")
		if err != nil {
			t.Fatal(err)
		}
		n := 1 + int(seed*7)
		for k := range n {
			if index, err := l.Append(fmt.Append(nil, "entry ", k)); err != nil || index != uint64(k)+1 {
				t.Fatal(index, err)
			}
		}
		crashed := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rand.New(rand.NewPCG(seed, 1))})
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		r, err := openPebbleOn(crashed, "log")
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for k := range n {
			if data, err := r.Get(uint64(k) + 1); err != nil || string(data) != fmt.Sprint("entry ", k) {
				t.Fatalf("seed %d: entry %d: %q, %v", seed, k+1, data, err)
			}
		}
		if _, err := r.Get(uint64(n) + 1); err == nil {
			t.Errorf("seed %d: entry %d was never appended", seed, n+1)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}
