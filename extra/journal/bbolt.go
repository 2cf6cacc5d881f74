package journal

import (
	"bytes"
	"errors"
	"path/filepath"

	"go.etcd.io/bbolt"

	"github.com/brewput/brewput/catalog/journal"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newBbolt is a log in bbolt, a B+ tree that copies pages on write. Each transaction writes pages, syncs, writes the
// page that refers to them, and syncs again. A file that lost its end is not refused: reading a lost page panics.
func newBbolt(e env.Env, p plan.Point) (workload.Job, error) { return durable(e, p, openBbolt) }

func openBbolt(_ env.Env, dir string, _ plan.Point) (journal.Log, error) {
	db, err := bbolt.Open(filepath.Join(dir, "bbolt"), 0o644, nil)
	if err != nil {
		return nil, err
	}
	l := &boltLog{db: db}
	l.batches.commit = l.write
	err = db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(bucketName())
		if err != nil {
			return err
		}
		b.FillPercent = 1 // keys only increase
		key, _ := b.Cursor().Last()
		l.batches.last, err = indexOf(key)
		return err
	})
	if err == nil {
		err = journal.SyncDirs(dir)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return l, nil
}

// bucketName is the name of the bucket with the entries.
func bucketName() []byte { return []byte("entries") }

// boltLog is a log in bbolt.
type boltLog struct {
	db *bbolt.DB
	batches
}

func (l *boltLog) write(first uint64, entries [][]byte) error {
	return l.db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucketName())
		b.FillPercent = 1 // keys only increase
		for i, data := range entries {
			if err := b.Put(keyOf(first+uint64(i)), data); err != nil {
				return err
			}
		}
		return nil
	})
}

func (l *boltLog) Append(data []byte) (uint64, error) { return l.append(data) }

func (l *boltLog) Get(index uint64) (data []byte, err error) {
	err = l.db.View(func(tx *bbolt.Tx) error {
		found := tx.Bucket(bucketName()).Get(keyOf(index))
		if found == nil {
			return notFound(index)
		}
		data = bytes.Clone(found) // it is valid only in the transaction
		return nil
	})
	return data, err
}

func (l *boltLog) Flush() error  { return l.failed() }
func (l *boltLog) Syncs() uint64 { return 2 * l.count() }
func (l *boltLog) Close() error  { return l.db.Close() }
