package journal

import (
	"errors"
	"slices"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newAsync puts a channel in front of the binary log. An append ends when the entry is in the channel, so a crash of
// the process loses at most the entries of the channel and of one batch. Flush waits until what was acknowledged before
// has been written, and syncs it. A full channel blocks the callers.
func newAsync(e env.Env, p plan.Point) (workload.Job, error) { return newJob(e, p, None, openAsync) }

func openAsync(e env.Env, dir string, p plan.Point) (Log, error) {
	return openAsyncOn(e, disk(dir), p.Int("queue"))
}

// maxAsyncBatch is the largest number of entries that the writer takes from the channel before it writes them.
const maxAsyncBatch = 64

func openAsyncOn(e env.Env, fs files, queue int) (Log, error) {
	s, err := openFrames(fs, "frames")
	if err != nil {
		return nil, err
	}
	a := &async{queue: env.NewChan[request](e, "queue", queue), gone: e.Group(), order: e.Mutex("order"),
		last: s.last(), lock: e.Mutex("log"), frames: s}
	a.over = e.Cond(a.lock)
	a.gone.Go(e, "writer", func(env.Env) { a.write() })
	return a, nil
}

// request asks the writer to write an entry, or to sync.
type request struct {
	data []byte
	sync bool
}

// async is a log with a channel in front of it.
type async struct {
	queue *env.Chan[request]
	gone  *env.Group

	order *env.Mutex // held from an index to its place in the channel
	last  uint64     // the index that was given last
	asked uint64     // flushes that were requested

	lock    *env.Mutex // protects what follows
	frames  *frames    // the chain belongs to the writer
	waiting [][]byte   // entries that are not written
	flushed uint64     // flushes that are over
	over    *env.Cond  // a flush is over
	syncs   uint64
	err     error // of the first write or sync that failed
}

func (a *async) Append(data []byte) (uint64, error) {
	if err := CheckSize(data); err != nil {
		return 0, err
	}
	data = slices.Clone(data)
	a.order.Lock()
	defer a.order.Unlock()
	a.lock.Lock()
	err := a.err
	if err == nil {
		a.waiting = append(a.waiting, data)
	}
	a.lock.Unlock()
	if err != nil {
		return 0, err
	}
	a.last++
	a.queue.Send(request{data: data})
	return a.last, nil
}

// write writes what the channel has, until it is closed.
func (a *async) write() {
	var buf []byte
	var ends []int64
	for r, ok := a.queue.Recv(); ok; r, ok = a.queue.Recv() {
		buf, ends = buf[:0], ends[:0]
		begin := a.frames.end()
		for !r.sync {
			buf = a.frames.chain.add(buf, r.data)
			if ends = append(ends, begin+int64(len(buf))); len(ends) == maxAsyncBatch {
				break
			}
			next, open, received := a.queue.TryRecv()
			if !open || !received {
				break
			}
			r = next
		}
		a.put(buf, ends, r.sync)
	}
}

// put writes frames and, if flush is set, syncs the file. After an error it does nothing.
func (a *async) put(buf []byte, ends []int64, flush bool) {
	a.lock.Lock()
	begin, err := a.frames.end(), a.err
	a.lock.Unlock()
	if err == nil && len(ends) > 0 {
		_, err = a.frames.f.WriteAt(buf, begin)
	}
	written := err == nil
	synced := err == nil && flush
	if synced {
		err = a.frames.f.sync()
	}

	a.lock.Lock()
	defer a.lock.Unlock()
	if written {
		a.frames.ends = append(a.frames.ends, ends...)
		clear(a.waiting[:len(ends)])
		a.waiting = a.waiting[len(ends):]
	}
	if err != nil && a.err == nil {
		a.err = Broken(err)
	}
	if synced {
		a.syncs++
	}
	if flush {
		a.flushed++
		a.over.Broadcast()
	}
}

// Get returns an entry from the file, or from memory if it is not written yet.
func (a *async) Get(index uint64) ([]byte, error) {
	a.lock.Lock()
	last := a.frames.last()
	if k := index - last - 1; index > last && k < uint64(len(a.waiting)) {
		defer a.lock.Unlock()
		return slices.Clone(a.waiting[k]), nil
	}
	at, size, err := a.frames.find(index)
	a.lock.Unlock()
	if err != nil {
		return nil, err
	}
	return read(a.frames.f, at, size)
}

// Flush waits until the writer has synced what was in the channel.
func (a *async) Flush() error {
	a.order.Lock()
	a.asked++
	mine := a.asked
	a.queue.Send(request{sync: true})
	a.order.Unlock()

	a.lock.Lock()
	defer a.lock.Unlock()
	for a.flushed < mine {
		a.over.Wait()
	}
	return a.err
}

func (a *async) Syncs() uint64 {
	a.lock.Lock()
	defer a.lock.Unlock()
	return a.syncs
}

func (a *async) Close() error {
	a.queue.Close()
	a.gone.Wait()
	return errors.Join(a.err, a.frames.f.Close())
}
