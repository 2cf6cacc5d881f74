package journal

import (
	"errors"
	"path/filepath"

	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/opt"
	"github.com/syndtr/goleveldb/leveldb/storage"

	"github.com/brewput/brewput/catalog/journal"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newGoleveldb is a log in goleveldb. Its writes are batches, because concurrent single writes would be ordered by the
// database and not by their indexes, so that a crash could leave gaps.
// goleveldb begins a new file after 4 MiB, and does not sync the directory: see syncedStorage.
func newGoleveldb(e env.Env, p plan.Point) (workload.Job, error) { return durable(e, p, openGoleveldb) }

func openGoleveldb(_ env.Env, dir string, _ plan.Point) (journal.Log, error) {
	files := filepath.Join(dir, "goleveldb")
	s, err := storage.OpenFile(files, false)
	if err != nil {
		return nil, err
	}
	db, err := leveldb.Open(syncedStorage{s, files}, nil)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	l := &levelLog{db: db, files: s}
	l.batches.commit = l.write
	if l.batches.last, err = l.lastIndex(); err == nil {
		err = syncDirs(dir, files)
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// syncedStorage syncs the directory of a storage after it creates a file there: otherwise power loss may remove the
// name of a file with acknowledged entries.
type syncedStorage struct {
	storage.Storage
	dir string
}

func (s syncedStorage) Create(fd storage.FileDesc) (storage.Writer, error) {
	w, err := s.Storage.Create(fd)
	if err != nil {
		return nil, err
	}
	if err := syncDirs(s.dir); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// levelLog is a log in goleveldb.
type levelLog struct {
	db    *leveldb.DB
	files storage.Storage
	batches
}

// lastIndex is the index of the last entry.
func (l *levelLog) lastIndex() (uint64, error) {
	it := l.db.NewIterator(nil, nil)
	defer it.Release()
	if !it.Last() {
		return 0, it.Error()
	}
	return indexOf(it.Key())
}

func (l *levelLog) write(first uint64, entries [][]byte) error {
	var b leveldb.Batch
	for i, data := range entries {
		b.Put(keyOf(first+uint64(i)), data)
	}
	return l.db.Write(&b, &opt.WriteOptions{Sync: true})
}

func (l *levelLog) Append(data []byte) (uint64, error) { return l.append(data) }

func (l *levelLog) Get(index uint64) ([]byte, error) {
	data, err := l.db.Get(keyOf(index), nil)
	if errors.Is(err, leveldb.ErrNotFound) {
		return nil, notFound(index)
	}
	return data, err
}

func (l *levelLog) Flush() error  { return l.failed() }
func (l *levelLog) Syncs() uint64 { return l.count() }
func (l *levelLog) Close() error  { return errors.Join(l.db.Close(), l.files.Close()) }
