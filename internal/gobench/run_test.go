package gobench

import (
	"errors"
	"os/exec"
	"testing"
	"time"

	"github.com/brewput/brewput/internal/proc"
)

// TestConclude checks which runs fail and which of them reached the time limit. One that succeeded while brewput was
// stopped counts, although the limit expired too.
func TestConclude(t *testing.T) {
	exit := errors.New("exit status 2")
	for _, c := range []struct {
		name           string
		exit           proc.Exit
		fails, limited bool
	}{
		{"success", proc.Exit{}, false, false},
		{"success that left processes", proc.Exit{Err: exec.ErrWaitDelay}, false, false},
		{"success when the limit expired", proc.Exit{Asked: true}, false, false},
		{"success that left processes when the limit expired", proc.Exit{Asked: true, Err: exec.ErrWaitDelay}, false,
			false},
		{"hang", proc.Exit{Asked: true, Err: exit}, true, true},
		{"crash", proc.Exit{Err: exit}, true, false},
	} {
		var e testRun
		e.conclude(c.exit, time.Second)
		if (e.problem != "") != c.fails || e.crashed != c.fails || e.limited != c.limited {
			t.Errorf("%s: %q, crashed %v, limited %v", c.name, e.problem, e.crashed, e.limited)
		}
	}
}
