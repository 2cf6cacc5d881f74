package journal

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
)

// inWorld runs f in a live world.
func inWorld(t testing.TB, f func(e env.Env) error) {
	t.Helper()
	var err error
	if left := live.New(live.Config{Seed: 1}).Run("test", func(e env.Env) { err = f(e) }); left != nil || err != nil {
		t.Fatal(errors.Join(err, left))
	}
}

// onFiles opens the designs that use the interface of files.
func onFiles() map[string]func(e env.Env, fs files) (Log, error) {
	return map[string]func(e env.Env, fs files) (Log, error){
		"file":      func(e env.Env, fs files) (Log, error) { return openLines(e, fs, false) },
		"file-sync": func(e env.Env, fs files) (Log, error) { return openLines(e, fs, true) },
		"binary":    openFramed,
		"group":     openGroupOn,
		"async":     func(e env.Env, fs files) (Log, error) { return openAsyncOn(e, fs, 4) },
	}
}

// text is the entry of an index in tests. Its size varies with the index.
func text(index uint64) string { return strings.Repeat(fmt.Sprintf("<%d>", index), int(index%4)*5) }

// recovered returns the number of entries of a log, which must be those of text up to there.
func recovered(l Log) (n uint64, err error) {
	for {
		data, err := l.Get(n + 1)
		if errors.Is(err, ErrNotFound) {
			return n, nil
		}
		if err != nil || string(data) != text(n+1) {
			return n, fmt.Errorf("entry %d is %q, not %q: %w", n+1, data, text(n+1), err)
		}
		n++
	}
}

// history appends entries on a recorder. A design that does not promise to survive power loss acknowledges by Flush,
// or if early is set by Append.
func history(e env.Env, name string, r *recorder, entries int, early bool) error {
	l, err := onFiles()[name](e, r)
	if err != nil {
		return err
	}
	for i := range uint64(entries) {
		index, err := l.Append([]byte(text(i + 1)))
		if err != nil || index != i+1 {
			return fmt.Errorf("append %d: index %d, %w", i+1, index, err)
		}
		if d, _ := Workload().Find(name); early || strings.HasPrefix(d.Doc, SurvivesPowerLoss.String()) {
			r.ack(index)
		} else if i%3 == 2 {
			if err := l.Flush(); err != nil {
				return err
			}
			r.ack(index)
		}
	}
	return l.Close()
}

// survives checks that what a power loss leaves is recovered, with every acknowledged entry, and that the log goes on
// from there through a second power loss.
func survives(e env.Env, name string, m image, acked uint64, rnd *rand.Rand, twice bool) error {
	r := recorderOf(m)
	l, err := onFiles()[name](e, r)
	if err != nil {
		return err
	}
	n, err := recovered(l)
	if err == nil && n < acked {
		err = fmt.Errorf("%d entries were acknowledged, and %d are there", acked, n)
	}
	if err != nil || !twice {
		return errors.Join(err, l.Close())
	}
	r.ack(n) // what was read must stay
	other := strings.Repeat("#", len(text(n+1)))
	if _, err := l.Append([]byte(other)); err != nil {
		return err
	}
	if err := errors.Join(l.Flush(), l.Close()); err != nil {
		return err
	}
	r.ack(n + 1)
	return crashes(m, r.trace, 2, rnd, func(_ int, m image, now uint64) error {
		l, err := onFiles()[name](e, recorderOf(m))
		if err != nil {
			return err
		}
		got := all(l)
		for i, data := range got {
			if want := text(uint64(i) + 1); data != want && (uint64(i) != n || data != other) {
				return fmt.Errorf("entry %d is %q again", i+1, data)
			}
		}
		// Without the other entry, what follows may be older entries that were not acknowledged.
		if k := uint64(len(got)); k < max(acked, now) || k > n+1 && got[n] == other {
			return fmt.Errorf("%d entries, then one other, left %q", n, got)
		}
		return l.Close()
	})
}

// lose runs a history, and loses the power at each of its steps.
func lose(e env.Env, name string, r *recorder, entries int, early bool) error {
	if err := history(e, name, r, entries, early); err != nil {
		return err
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	count := 0
	return crashes(newRecorder().now, r.trace, 1<<9, rnd, func(step int, m image, acked uint64) error {
		count++
		return survives(e, name, m, acked, rnd, count%16 == 0)
	})
}

// TestPowerLoss loses the power after each operation of a history, with every subset of what was not synced.
func TestPowerLoss(t *testing.T) {
	for name := range onFiles() {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(e env.Env) error { return lose(e, name, newRecorder(), 8, false) })
		})
	}
}

// TestPowerLossOfGroups is TestPowerLoss with concurrent callers, so that a sync covers several entries.
func TestPowerLossOfGroups(t *testing.T) {
	inWorld(t, func(e env.Env) error {
		r := newRecorder()
		l, err := openGroupOn(e, r)
		if err != nil {
			return err
		}
		const callers, each = 6, 4
		done, entries, got := e.Group(), [callers * each]string{}, [callers]error{}
		for c := range callers {
			done.Go(e, "caller", func(env.Env) {
				for k := range each {
					data := fmt.Sprintf("caller %d, entry %d", c, k)
					index, err := l.Append([]byte(data))
					if err != nil {
						got[c] = err
						return
					}
					r.do(event{op: "ack one", acked: index})
					entries[index-1] = data
				}
			})
		}
		done.Wait()
		if err := errors.Join(append(got[:], l.Close())...); err != nil {
			return err
		}
		rnd := rand.New(rand.NewPCG(1, 2))
		step, highest := 0, uint64(0)
		return crashes(newRecorder().now, r.trace, 1<<7, rnd, func(now int, m image, _ uint64) error {
			for ; step < now; step++ {
				highest = max(highest, r.trace[step].acked)
			}
			l, err := openGroupOn(e, recorderOf(m))
			if err != nil {
				return err
			}
			n := uint64(0)
			for ; ; n++ {
				data, err := l.Get(n + 1)
				if errors.Is(err, ErrNotFound) {
					break
				}
				if err != nil || string(data) != entries[n] {
					return fmt.Errorf("entry %d is %q, not %q: %w", n+1, data, entries[n], err)
				}
			}
			if n < highest {
				return fmt.Errorf("entry %d was acknowledged, and %d are there", highest, n)
			}
			return l.Close()
		})
	})
}

// TestPowerLossAfterKill kills the process after each operation of a history, opens the log again, and then loses the
// power. Entries that were read after the kill must stay, although they may not have been synced before it, and so must
// one that was appended after it.
func TestPowerLossAfterKill(t *testing.T) {
	for name := range onFiles() {
		inWorld(t, func(e env.Env) error {
			whole := newRecorder()
			if err := history(e, name, whole, 5, false); err != nil {
				return err
			}
			rnd := rand.New(rand.NewPCG(1, 2))
			for kill := range whole.trace {
				r := newRecorder()
				for _, ev := range whole.trace[:kill] {
					if err := r.do(ev); err != nil {
						return err
					}
				}
				l, err := onFiles()[name](e, r)
				if err != nil {
					return err
				}
				n, err := recovered(l)
				if err != nil {
					return err
				}
				r.ack(n)
				if _, err := l.Append([]byte(text(n + 1))); err != nil {
					return err
				}
				if err := errors.Join(l.Flush(), l.Close()); err != nil {
					return err
				}
				last := len(r.trace)
				r.ack(n + 1)
				err = crashes(newRecorder().now, r.trace, 1<<6, rnd, func(step int, m image, acked uint64) error {
					if step < last {
						return nil
					}
					return survives(e, name, m, acked, rnd, false)
				})
				if err != nil {
					return fmt.Errorf("%s, killed after %d operations: %w", name, kill, err)
				}
			}
			return nil
		})
	}
}

// TestPowerLossIsFound checks that the test above finds a missing sync of the file and of the directory, and that the
// designs that do not promise to survive power loss do not.
func TestPowerLossIsFound(t *testing.T) {
	found := func(name string, r *recorder, early bool) {
		inWorld(t, func(e env.Env) error {
			if err := lose(e, name, r, 8, early); err == nil || !strings.Contains(err.Error(), "power lost") {
				return fmt.Errorf("%s: %v", name, err)
			}
			return nil
		})
	}
	for name := range onFiles() {
		for _, op := range []string{"sync", "syncdir"} {
			r := newRecorder()
			r.skip = func(o string) bool { return o == op }
			found(name, r, false)
		}
	}
	for _, name := range []string{"file", "binary", "async"} {
		found(name, newRecorder(), true)
	}
}
