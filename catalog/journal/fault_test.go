package journal

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"

	"github.com/brewput/brewput/env"
)

// TestFaults lets the k-th write or sync fail. From then on the log must refuse entries and touch no file, also if
// writes and syncs would succeed. What it recovers has every entry that was acknowledged, although a failed sync loses
// what was not synced before. When it is opened again, what it recovers and appends survives power loss.
func TestFaults(t *testing.T) {
	for name := range onFiles() {
		for _, op := range []string{"write", "sync"} {
			for _, errno := range []syscall.Errno{syscall.EIO, syscall.ENOSPC} {
				for k := range 12 {
					inWorld(t, func(e env.Env) error {
						if err := fault(e, name, op, errno, k); err != nil {
							return fmt.Errorf("%s, %v of %s %d: %w", name, errno, op, k+1, err)
						}
						return nil
					})
				}
			}
		}
	}
}

// fault runs a log whose k-th operation of a kind fails.
func fault(e env.Env, name, op string, errno syscall.Errno, k int) error {
	r := newRecorder()
	left, failed := k, false
	r.fail = func(o string) error {
		if o == op && !failed {
			left--
			if failed = left < 0; failed {
				return errno
			}
		}
		return nil
	}
	l, err := onFiles()[name](e, r)
	if err != nil {
		if !errors.Is(err, errno) {
			return err
		}
		r.fail = nil
		_, err = openedAgain(e, name, r) // the next attempt succeeds
		return err
	}

	acked := uint64(0)
	for i := uint64(1); err == nil; i++ {
		if i > 100 {
			return errors.New("no append failed")
		}
		d, _ := Workload().Find(name)
		if _, err = l.Append([]byte(text(i))); err == nil && name != "async" {
			acked = i // survives a kill
			if strings.HasPrefix(d.Doc, SurvivesPowerLoss.String()) {
				r.ack(i)
			}
		}
		if err == nil && i%3 == 0 {
			if err = l.Flush(); err == nil {
				acked = i
				r.ack(i)
			}
		}
	}
	if !errors.Is(err, errno) {
		return fmt.Errorf("another error: %w", err)
	}

	before := len(r.trace)
	for range 3 {
		if index, err := l.Append([]byte("more")); !errors.Is(err, errno) || index != 0 {
			return fmt.Errorf("it took entry %d: %v", index, err)
		}
		if err := l.Flush(); !errors.Is(err, errno) {
			return fmt.Errorf("a flush succeeded: %v", err)
		}
	}
	err = l.Close()
	if len(r.trace) != before || err != nil && !errors.Is(err, errno) {
		return fmt.Errorf("after the error: %v, %v", r.trace[before:], err)
	}
	r.fail = nil
	if err := survives(e, name, r.now, acked, nil, false); err != nil {
		return err
	}
	m, flushed := lostSync(r)
	if err := survives(e, name, m, flushed, nil, false); err != nil {
		return err
	}
	_, err = openedAgain(e, name, r)
	return err
}

// openedAgain opens a log after an error, while the kernel still has in its cache what did not reach the device, and
// appends an entry. The entry and the n before it must survive power loss.
func openedAgain(e env.Env, name string, r *recorder) (n uint64, err error) {
	l, err := onFiles()[name](e, r)
	if err != nil {
		return 0, fmt.Errorf("again: %w", err)
	}
	if n, err = recovered(l); err != nil {
		return n, err
	}
	r.ack(n)
	if _, err := l.Append([]byte(text(n + 1))); err != nil {
		return n, err
	}
	if err := errors.Join(l.Flush(), l.Close()); err != nil {
		return n, err
	}
	last := len(r.trace)
	r.ack(n + 1)
	rnd := rand.New(rand.NewPCG(1, 2))
	return n, crashes(newRecorder().now, r.trace, 1<<6, rnd, func(step int, m image, acked uint64) error {
		if step < last {
			return nil
		}
		return survives(e, name, m, acked, rnd, false)
	})
}

// lostSync returns what is on the device if the power is lost after the trace, and nothing else reached it, and the
// last index that was acknowledged.
func lostSync(r *recorder) (durable image, acked uint64) {
	durable = newRecorder().now
	var pending []event
	for _, ev := range r.trace {
		switch ev.op {
		case "ack":
			acked = max(acked, ev.acked)
		case "sync", "syncdir":
			pending = flush(durable, pending, ev.failed, func(p event) bool {
				name := p.op == "create" || p.op == "rename"
				return name && ev.op == "syncdir" || !name && ev.op == "sync" && p.inode == ev.inode
			})
		default:
			pending = append(pending, ev)
		}
	}
	return durable, acked
}

// TestFaultsOfGroups lets a sync fail while callers wait for it. Each caller of the batch gets the error, and so do
// those of the next one. What was acknowledged survives power loss.
func TestFaultsOfGroups(t *testing.T) {
	for k := range 20 {
		inWorld(t, func(e env.Env) error {
			r := newRecorder()
			left := k + 1 // the first sync is that of the header
			r.fail = func(op string) error {
				if op == "sync" {
					if left--; left == 0 {
						return syscall.EIO
					}
				}
				return nil
			}
			l, err := openGroupOn(e, r)
			if err != nil {
				if errors.Is(err, syscall.EIO) {
					return nil
				}
				return err
			}
			const callers = 8
			done, acked, wrong := e.Group(), [callers][]uint64{}, [callers]error{}
			for c := range callers {
				done.Go(e, "caller", func(env.Env) {
					for range 1000 { // a sync fails long before
						index, err := l.Append([]byte{byte(c)})
						if err != nil {
							wrong[c] = err
							return
						}
						r.ack(index)
						acked[c] = append(acked[c], index)
					}
				})
			}
			done.Wait()
			for c := range callers {
				if !errors.Is(wrong[c], syscall.EIO) {
					return fmt.Errorf("caller %d: %w", c, wrong[c])
				}
			}
			if err := have(l, acked[:]); err != nil {
				return err
			}
			if err := l.Close(); err != nil {
				return err
			}
			r.fail = nil
			m, _ := lostSync(r)
			if l, err = openGroupOn(e, recorderOf(m)); err != nil {
				return err
			}
			if err := have(l, acked[:]); err != nil {
				return fmt.Errorf("after power loss: %w", err)
			}
			return l.Close()
		})
	}
}

// have checks that a log has the entries with these indexes of each caller.
func have(l Log, acked [][]uint64) error {
	last := g(l).last()
	for c := range acked {
		for _, index := range acked[c] {
			data, err := l.Get(index)
			if index > last || err != nil || len(data) != 1 || data[0] != byte(c) {
				return fmt.Errorf("entry %d of %d: %q %w", index, last, data, err)
			}
		}
	}
	return nil
}

// g returns the frames of a log with group commit.
func g(l Log) *frames { return l.(*group).frames }

// TestMappedFaults checks that a mapped log takes no entry after it could not grow or sync.
func TestMappedFaults(t *testing.T) {
	for _, grows := range []bool{true, false} {
		inWorld(t, func(e env.Env) error {
			m := &memoryMapping{size: segmentSize}
			l, err := openSegments(e, m, segmentSize)
			if err != nil {
				return err
			}
			if grows {
				m.grow = syscall.ENOSPC
			} else {
				m.fail = syscall.EIO
			}
			n := uint64(0)
			for err == nil && n < 1000 {
				if _, err = l.Append([]byte(text(n + 1))); err == nil {
					n++
				}
				if err == nil && !grows {
					err = l.Flush()
				}
			}
			if err == nil {
				return errors.New("nothing failed")
			}
			m.grow, m.fail = nil, nil
			if _, again := l.Append(nil); again == nil || again.Error() != err.Error() {
				return fmt.Errorf("after %w: %w", err, again)
			}
			if again := l.Flush(); again == nil {
				return errors.New("a flush succeeded")
			}
			if l, err = openSegments(e, m, segmentSize); err != nil {
				return err
			}
			if got, err := recovered(l); err != nil || got != n {
				return fmt.Errorf("%d of %d entries: %w", got, n, err)
			}
			return nil
		})
	}
}
