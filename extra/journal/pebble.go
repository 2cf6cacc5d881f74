package journal

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/brewput/brewput/catalog/journal"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newPebble is a log in Pebble. An append enters Pebble's own log under a lock, in the order of the indexes, and then
// waits for a sync, which Pebble shares among the callers that wait.
func newPebble(e env.Env, p plan.Point) (workload.Job, error) { return durable(e, p, openPebble) }

func openPebble(_ env.Env, dir string, _ plan.Point) (journal.Log, error) {
	l, err := openPebbleOn(vfs.Default, filepath.Join(dir, "pebble"))
	if err != nil {
		return nil, err // not l, which would be a log that is not nil
	}
	return l, nil
}

func openPebbleOn(fs vfs.FS, dir string) (*pebbleLog, error) {
	l := &pebbleLog{}
	options := &pebble.Options{FS: fs, Logger: quiet{}, FormatMajorVersion: pebble.FormatNewest}
	var err error
	if l.db, err = pebble.Open(dir, options); err != nil {
		return nil, err
	}
	if l.last, err = l.lastIndex(); err != nil {
		return nil, errors.Join(err, l.db.Close())
	}
	return l, nil
}

// quiet drops messages, and panics instead of ending the process if Pebble cannot continue.
type quiet struct{}

func (quiet) Infof(string, ...any)           {}
func (quiet) Errorf(string, ...any)          {}
func (quiet) Fatalf(format string, a ...any) { panic(fmt.Sprintf("pebble: "+format, a...)) }

// pebbleLog is a log in Pebble.
type pebbleLog struct {
	db *pebble.DB

	lock sync.Mutex // protects what follows
	last uint64     // the index that was given last
	err  error      // of the first append that failed
}

// lastIndex is the index of the last entry.
func (l *pebbleLog) lastIndex() (index uint64, err error) {
	it, err := l.db.NewIter(nil)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	if !it.Last() {
		return 0, it.Error()
	}
	return indexOf(it.Key())
}

func (l *pebbleLog) Append(data []byte) (uint64, error) {
	if err := journal.CheckSize(data); err != nil {
		return 0, err
	}
	b := l.db.NewBatch()
	defer b.Close()
	index, err := l.apply(b, data)
	if err == nil {
		err = b.SyncWait()
	}
	if err == nil {
		return index, nil
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.err == nil {
		l.err = journal.Broken(err)
	}
	return 0, l.err
}

// apply gives an entry the next index and adds it to Pebble's log.
func (l *pebbleLog) apply(b *pebble.Batch, data []byte) (uint64, error) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.err != nil {
		return 0, l.err
	}
	if err := b.Set(keyOf(l.last+1), data, nil); err != nil {
		return 0, err
	}
	if err := l.db.ApplyNoSyncWait(b, pebble.Sync); err != nil {
		return 0, err
	}
	l.last++
	return l.last, nil
}

func (l *pebbleLog) Get(index uint64) ([]byte, error) {
	data, closer, err := l.db.Get(keyOf(index))
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, notFound(index)
	}
	if err != nil {
		return nil, err
	}
	return bytes.Clone(data), closer.Close()
}

func (l *pebbleLog) Flush() error {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.err
}

func (l *pebbleLog) Close() error { return l.db.Close() }
