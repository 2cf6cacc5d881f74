package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tidwall/wal"

	"github.com/brewput/brewput/catalog/journal"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newTidwall is a log of tidwall/wal. The library takes a part of an entry for damage, and zeros for empty entries. Power
// loss during an append leaves either, so the adapter adds a checksum to each entry: see trim.
// The library does not sync the directory when it begins a segment, after 20 MB, so that power loss may remove the name
// of a segment with acknowledged entries: see syncSegments.
func newTidwall(e env.Env, p plan.Point) (workload.Job, error) { return durable(e, p, openTidwall) }

func openTidwall(_ env.Env, dir string, _ plan.Point) (journal.Log, error) {
	l := &walLog{dir: filepath.Join(dir, "wal"), syncDirs: journal.SyncDirs}
	if err := l.mark(); err != nil {
		return nil, err
	}
	if err := l.trim(); err != nil {
		return nil, err
	}
	w, err := wal.Open(l.dir, nil)
	if err != nil {
		return nil, err
	}
	l.wal = w
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
	written  int    // bytes in the last segment, or more
	segments int    // files that were there when the directory was synced last
	buf      []byte // of write
	syncDirs func(dirs ...string) error
	batches
}

// marker is a file in the directory of each log of the adapter. In other logs, entries have no checksums.
const marker = "entries.checksums"

// mark marks a new log, and refuses one of another program, because trim would remove all its entries.
func (l *walLog) mark() error {
	path := filepath.Join(l.dir, marker)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	files, err := os.ReadDir(l.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, f := range files { // the file of a marked log is empty until the name of the marker survives power loss
		if info, err := f.Info(); err != nil || info.Size() > 0 {
			return errors.Join(err, fmt.Errorf("the log in %s is not of tidwall-wal: its entries have no checksums; "+
				"choose another directory, or move that log away", l.dir))
		}
	}
	return errors.Join(os.MkdirAll(l.dir, wal.DefaultOptions.DirPerms), os.WriteFile(path, nil, 0o600))
}

// trim removes what follows the last entry of the last segment whose length and checksum are right. All acknowledged
// entries are before it, because they were synced. So are all of earlier segments.
func (l *walLog) trim() error {
	segments, err := fs.Glob(os.DirFS(l.dir), strings.Repeat("[0-9]", 20)) // none without a directory
	if err != nil || len(segments) == 0 {
		return err
	}
	path := filepath.Join(l.dir, segments[len(segments)-1])
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	end := 0
	for {
		size, n := binary.Uvarint(data[end:])
		if n <= 0 || size > uint64(len(data)-end-n) {
			break
		}
		if _, ok := unseal(data[end+n:][:size]); !ok {
			break
		}
		end += n + int(size)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	// After a sync that failed, no later one writes what is in the cache, so it is written again. Without the sync, whole
	// entries behind a lost one could return after power loss, and follow a new one.
	_, err = f.WriteAt(data[:end], 0)
	return errors.Join(err, f.Truncate(int64(end)), f.Sync(), f.Close())
}

// checksum is the CRC-32C of an entry.
func checksum(data []byte) uint32 { return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)) }

// seal appends an entry and its checksum to buf.
func seal(buf, data []byte) []byte {
	return binary.LittleEndian.AppendUint32(append(buf, data...), checksum(data))
}

// unseal returns the entry of what seal appended, and whether its checksum is right.
func unseal(sealed []byte) (data []byte, ok bool) {
	n := len(sealed) - crc32.Size
	if n < 0 {
		return nil, false
	}
	return sealed[:n], binary.LittleEndian.Uint32(sealed[n:]) == checksum(sealed[:n])
}

// write writes a large batch in parts, so that at most one segment begins before the directory is synced. Power loss
// could otherwise remove the name of a segment, but not that of the next one.
func (l *walLog) write(first uint64, entries [][]byte) error {
	var b wal.Batch
	size := 0
	for i, data := range entries {
		l.buf = seal(l.buf[:0], data)
		b.Write(first+uint64(i), l.buf)
		size += len(l.buf) + binary.MaxVarintLen64
		if i < len(entries)-1 && size < wal.DefaultOptions.SegmentSize/2 {
			continue
		}
		if err := errors.Join(l.wal.WriteBatch(&b), l.syncSegments(size)); err != nil {
			return err
		}
		size = 0 // WriteBatch has cleared the batch
	}
	return nil
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
	return l.syncDirs(l.dir)
}

// countFiles returns the number of segments, and one for the marker.
func (l *walLog) countFiles() (int, error) {
	files, err := os.ReadDir(l.dir)
	return len(files), err
}

func (l *walLog) Append(data []byte) (uint64, error) { return l.append(data) }

func (l *walLog) Get(index uint64) ([]byte, error) {
	sealed, err := l.wal.Read(index)
	if errors.Is(err, wal.ErrNotFound) {
		return nil, notFound(index)
	}
	if err != nil {
		return nil, err
	}
	data, ok := unseal(sealed)
	if !ok {
		return nil, fmt.Errorf("entry %d has a wrong checksum", index)
	}
	return data, nil
}

func (l *walLog) Flush() error  { return l.failed() }
func (l *walLog) Syncs() uint64 { return l.count() }
func (l *walLog) Close() error  { return l.wal.Close() }
