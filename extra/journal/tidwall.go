package journal

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"

	"github.com/tidwall/wal"

	"github.com/brewput/brewput/catalog/journal"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newTidwall is a log of tidwall/wal. Its entries have no checksum. After a write that wrote only a part, as in a crash
// of the machine, it refuses to open: the acknowledged entries are in its file, but somebody must cut off the part.
// The library does not sync the directory when it begins a segment, after 20 MB, so that power loss may remove the name
// of a segment with acknowledged entries: see syncSegments.
func newTidwall(e env.Env, p plan.Point) (workload.Job, error) { return durable(e, p, openTidwall) }

func openTidwall(_ env.Env, dir string, _ plan.Point) (journal.Log, error) {
	w, err := wal.Open(filepath.Join(dir, "wal"), nil)
	if err != nil {
		return nil, err
	}
	l := &walLog{wal: w, dir: filepath.Join(dir, "wal"), written: wal.DefaultOptions.SegmentSize}
	l.batches.commit = l.write
	if l.batches.last, err = w.LastIndex(); err == nil {
		err = syncDirs(dir, l.dir)
	}
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return l, nil
}

// walLog is a log of tidwall/wal.
type walLog struct {
	wal      *wal.Log
	dir      string
	written  int // bytes since the last segment began, or more
	segments int // that were there when the directory was synced last
	batches
}

func (l *walLog) write(first uint64, entries [][]byte) error {
	var b wal.Batch
	for i, data := range entries {
		b.Write(first+uint64(i), data)
		l.written += len(data) + binary.MaxVarintLen64
	}
	return errors.Join(l.wal.WriteBatch(&b), l.syncSegments())
}

// syncSegments syncs the directory if a segment began. It reads the directory only once enough was written for that.
func (l *walLog) syncSegments() error {
	if l.written < wal.DefaultOptions.SegmentSize {
		return nil
	}
	files, err := os.ReadDir(l.dir)
	if err != nil || len(files) == l.segments {
		return err
	}
	l.segments, l.written = len(files), 0
	return syncDirs(l.dir)
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
