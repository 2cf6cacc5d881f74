// Package journal has designs of the workload journal that use other modules: databases and a write-ahead log. Each
// syncs every append, so an acknowledged entry survives power loss.
package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/brewput/brewput/catalog/journal"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Workload returns the workload journal with these designs.
func Workload() *workload.Workload {
	w := journal.Workload()
	w.Designs = []workload.Design{
		design("goleveldb", "syndtr/goleveldb, a batch of the callers that wait", newGoleveldb, openGoleveldb),
		design("pebble", "cockroachdb/pebble, whose log shares syncs among callers", newPebble, openPebble),
		design("bbolt", "etcd's bbolt, a transaction of the callers that wait", newBbolt, openBbolt),
		design("tidwall-wal", "tidwall/wal, a batch of the callers that wait", newTidwall, openTidwall),
	}
	return w
}

// design returns a design with a constructor of its own, whose source is shown.
func design(name, doc string, job func(env.Env, plan.Point) (workload.Job, error), open journal.Open) workload.Design {
	d := journal.Design(name, doc, journal.SurvivesPowerLoss, open)
	d.Job = job
	return d
}

// durable returns the job of a log whose entries survive power loss.
func durable(e env.Env, p plan.Point, open journal.Open) (workload.Job, error) {
	return journal.Design("", "", journal.SurvivesPowerLoss, open).Job(e, p)
}

// syncDirs makes the names in directories survive power loss. Some modules create files without that.
func syncDirs(dirs ...string) error {
	if runtime.GOOS == "windows" {
		return nil // directories cannot be synced
	}
	for _, dir := range dirs {
		f, err := os.Open(dir)
		if err != nil {
			return err
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// keyOf is the key of an entry in a database, which sorts by index.
func keyOf(index uint64) []byte { return binary.BigEndian.AppendUint64(nil, index) }

// indexOf is the index of a key; 0 without a key.
func indexOf(key []byte) (uint64, error) {
	switch len(key) {
	case 0:
		return 0, nil
	case 8:
		return binary.BigEndian.Uint64(key), nil
	}
	return 0, fmt.Errorf("the key %x is not that of an entry", key)
}

// notFound is the error of an index that no entry has.
func notFound(index uint64) error { return fmt.Errorf("entry %d: %w", index, journal.ErrNotFound) }

// checkSize returns an error for an entry that is too large.
func checkSize(data []byte) error {
	if len(data) > journal.MaxEntry {
		return fmt.Errorf("the entry has %d bytes, more than %d", len(data), journal.MaxEntry)
	}
	return nil
}
