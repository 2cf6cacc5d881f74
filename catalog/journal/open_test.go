package journal

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/brewput/brewput/env"
)

// TestOpenFaults lets each operation of opening a log fail, of a new one and of one that ends with a part of an entry.
// The next attempt must succeed, and what it acknowledges must survive power loss.
func TestOpenFaults(t *testing.T) {
	fired := map[string]bool{}
	for name := range onFiles() {
		for _, torn := range []bool{false, true} {
			for _, op := range []string{"write", "truncate", "create", "rename", "sync", "syncdir"} {
				for k, more := 0, true; more; k++ {
					inWorld(t, func(e env.Env) (err error) {
						r := newRecorder()
						if torn {
							if r, err = tornLog(e, name); err != nil {
								return err
							}
						}
						if more, err = openFault(e, name, r, op, k); err != nil {
							return fmt.Errorf("%s, torn %v, %s %d: %w", name, torn, op, k+1, err)
						}
						fired[fmt.Sprint(op, torn)] = fired[fmt.Sprint(op, torn)] || more
						return nil
					})
				}
			}
		}
	}
	for _, want := range []string{"writefalse", "writetrue", "truncatefalse", "truncatetrue", "createfalse",
		"renamefalse", "syncfalse", "synctrue", "syncdirfalse", "syncdirtrue"} {
		if !fired[want] {
			t.Errorf("no fault: %s", want)
		}
	}
}

// tornLog returns a log with three entries and a part of another.
func tornLog(e env.Env, name string) (*recorder, error) {
	r := newRecorder()
	if err := history(e, name, r, 3, false); err != nil {
		return nil, err
	}
	l, err := onFiles()[name](e, r)
	if err != nil {
		return nil, err
	}
	r.fail = func(op string) error {
		if op == "write" {
			return syscall.EIO
		}
		return nil
	}
	_, err = l.Append([]byte(text(4)))
	if err = errors.Join(err, l.Flush(), l.Close()); !errors.Is(err, syscall.EIO) {
		return nil, fmt.Errorf("no write failed: %w", err)
	}
	return r, nil
}

// openFault lets the k-th operation of a kind fail while a log is opened, and reports whether there was one.
func openFault(e env.Env, name string, r *recorder, op string, k int) (failed bool, err error) {
	torn := len(r.trace) > 0
	r.fail = func(o string) error {
		if o == op && !failed {
			k--
			if failed = k < 0; failed {
				return syscall.EIO
			}
		}
		return nil
	}
	l, err := onFiles()[name](e, r)
	r.fail = nil
	switch {
	case !failed && err != nil:
		return false, err
	case !failed:
		return false, l.Close()
	}
	if !errors.Is(err, syscall.EIO) {
		return true, fmt.Errorf("it was opened: %w", err)
	}
	n, err := openedAgain(e, name, r)
	if err == nil && torn && n != 3 {
		err = fmt.Errorf("%d entries", n)
	}
	return true, err
}
