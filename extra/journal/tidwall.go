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
	l := &walLog{wal: w, dir: filepath.Join(dir, "wal")}
	l.batches.commit = l.write
	if l.batches.last, err = w.LastIndex(); err == nil {
		err = journal.SyncDirs(dir, l.dir)
	}
	if l.batches.last > 0 {
		l.written = wal.DefaultOptions.SegmentSize // the last segment may be full
	}
	if err == nil {
		l.segments, err = l.countFiles()
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
	written  int // bytes in the last segment, or more
	segments int // that were there when the directory was synced last
	batches
}

func (l *walLog) write(first uint64, entries [][]byte) error {
	var b wal.Batch
	size := 0
	for i, data := range entries {
		b.Write(first+uint64(i), data)
		size += len(data) + binary.MaxVarintLen64
	}
	return errors.Join(l.wal.WriteBatch(&b), l.syncSegments(size))
}

// syncSegments syncs the directory if a segment began during a batch of at most that size. It reads the directory only
// once enough was written for that.
func (l *walLog) syncSegments(size int) error {
	if l.written += size; l.written < wal.DefaultOptions.SegmentSize {
		return nil
	}
	n, err := l.countFiles()
	if err != nil || n == l.segments {
		return err
	}
	l.segments, l.written = n, size // the new segment may have most of the batch
	return journal.SyncDirs(l.dir)
}

// countFiles returns the number of segments.
func (l *walLog) countFiles() (int, error) {
	files, err := os.ReadDir(l.dir)
	return len(files), err
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
