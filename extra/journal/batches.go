package journal

import (
	"sync"

	"github.com/brewput/brewput/catalog/journal"
)

// batches collects the entries of callers that wait, so that one commit serves them. While a commit runs, the next
// batch collects. Indexes have the order of the commits, so that a crash leaves no gap.
type batches struct {
	// commit makes entries durable. The index of the first one is given. It is called by one goroutine at a time.
	commit func(first uint64, entries [][]byte) error

	committing sync.Mutex // held during a commit

	lock    sync.Mutex // protects what follows
	last    uint64     // the index that was given last
	open    *batch     // the batch that collects; nil: none
	commits uint64
	err     error // of the first commit that failed
}

// batch is the entries of a commit.
type batch struct {
	first   uint64
	entries [][]byte
	done    chan struct{} // closed after the commit
	err     error
}

// append adds an entry to the open batch and waits for its commit. The caller that opens a batch commits it. The entries
// are not copied, because their callers wait.
func (b *batches) append(data []byte) (uint64, error) {
	if err := journal.CheckSize(data); err != nil {
		return 0, err
	}
	b.lock.Lock()
	if b.err != nil {
		defer b.lock.Unlock()
		return 0, b.err
	}
	b.last++
	index, mine, leads := b.last, b.open, b.open == nil
	if leads {
		mine = &batch{first: index, done: make(chan struct{})}
		b.open = mine
	}
	mine.entries = append(mine.entries, data)
	b.lock.Unlock()

	if leads {
		b.run(mine)
	}
	<-mine.done
	if mine.err != nil {
		return 0, mine.err
	}
	return index, nil
}

// run commits a batch after the one before it.
func (b *batches) run(mine *batch) {
	b.committing.Lock()
	defer b.committing.Unlock()
	b.lock.Lock()
	b.open = nil // a caller that arrives from now on opens the next one
	mine.err = b.err
	b.lock.Unlock()
	if mine.err == nil {
		if err := b.commit(mine.first, mine.entries); err != nil {
			mine.err = journal.Broken(err)
		}
	}
	b.lock.Lock()
	b.commits++
	if b.err == nil {
		b.err = mine.err
	}
	b.lock.Unlock()
	close(mine.done)
}

// failed returns the error of the first commit that failed.
func (b *batches) failed() error {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.err
}

// count returns the number of commits.
func (b *batches) count() uint64 {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.commits
}
