package journal

import (
	"errors"
	"path/filepath"

	"github.com/tidwall/wal"

	"github.com/brewput/brewput/catalog/journal"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newTidwall is a log of tidwall/wal. Its entries have no checksum. After a write that wrote only a part, as in a crash
// of the machine, it refuses to open: the acknowledged entries are in its file, but somebody must cut off the part.
// The directory is synced when the log is opened, but tidwall/wal does not sync it when a segment begins, after 20 MB:
// power loss may then remove the name of a segment with acknowledged entries.
func newTidwall(e env.Env, p plan.Point) (workload.Job, error) { return durable(e, p, openTidwall) }

func openTidwall(_ env.Env, dir string, _ plan.Point) (journal.Log, error) {
	w, err := wal.Open(filepath.Join(dir, "wal"), nil)
	if err != nil {
		return nil, err
	}
	l := &walLog{wal: w}
	l.batches.commit = l.write
	if l.batches.last, err = w.LastIndex(); err == nil {
		err = syncDirs(dir, filepath.Join(dir, "wal"))
	}
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return l, nil
}

// walLog is a log of tidwall/wal.
type walLog struct {
	wal *wal.Log
	batches
}

func (l *walLog) write(first uint64, entries [][]byte) error {
	var b wal.Batch
	for i, data := range entries {
		b.Write(first+uint64(i), data)
	}
	return l.wal.WriteBatch(&b)
}

func (l *walLog) Append(data []byte) (uint64, error) { return l.append(data) }

func (l *walLog) Get(index uint64) ([]byte, error) {
	data, err := l.wal.Read(index)
	if errors.Is(err, wal.ErrNotFound) {
		return nil, notFound(index)
	}
	return data, err
}

func (l *walLog) Flush() error  { return l.failed() }
func (l *walLog) Syncs() uint64 { return l.count() }
func (l *walLog) Close() error  { return l.wal.Close() }
