package collect

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/internal/hook"
)

// hooked is a runHooked that fails.
func hooked(context.Context, hook.Request, int) (outcome, error) {
	return outcome{}, errors.New("down")
}

// The number of runs follows from the constants of the collection.
func TestPlannedRuns(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name            string
		levels          int
		hooked, endless bool
		wall, cpu       time.Duration
		want            int
	}{
		// once as it is; CPU profiles; trace, locks and heap; without a profiler
		{"brief, idle", 2, true, false, 50 * ms, 0, 1 + 40 + 3 + 2*10},
		{"brief", 2, true, false, 50 * ms, 100 * ms, 1 + 20 + 3 + 2*10},
		{"half a second", 2, true, false, 500 * ms, 900 * ms, 1 + 3 + 3 + 2*5},
		{"half a second, little CPU time", 2, true, false, 500 * ms, 10 * ms, 1 + 11 + 3 + 2*5},
		{"long", 1, true, false, 8 * time.Second, 8 * time.Second, 1 + 1 + 3 + 3},
		{"endless", 2, true, true, 3 * time.Second, 3 * time.Second, 1 + 1 + 3 + 1},
		{"without a hook", 2, false, false, 500 * ms, 500 * ms, 2 * 5},
		{"without a hook, endless", 2, false, true, 3 * time.Second, 0, 1},
	} {
		k := &collector{cpuLevels: make([]int, c.levels), endless: c.endless}
		if c.hooked {
			k.runHooked = hooked
		}
		if got := k.plannedRuns(c.wall, c.cpu); got != c.want {
			t.Errorf("%s: %d runs, want %d", c.name, got, c.want)
		}
	}
}

func TestAnnounce(t *testing.T) {
	var lines []string
	o := DefaultOptions()
	o.Progress = func(line string) { lines = append(lines, line) }
	k := &collector{target: &target{plain: program{args: []string{"./prog", "-n", "1"}}}, opts: o, window: o.Duration,
		cpuLevels: []int{1, 2}, runHooked: hooked, ran: 28, began: time.Now()}
	k.announce("./prog")
	k.announceRest(500*time.Millisecond, time.Second)
	k.summarize()
	want := []string{"./prog: 6 to 64 runs, depending on how long one takes, in up to 3m",
		"it takes 500ms: about 16 runs in all, in about 7.5s", "./prog -n 1: 28 runs in 0s"}
	if got := strings.Join(lines, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s", got)
	}
}
