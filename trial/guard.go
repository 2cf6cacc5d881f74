package trial

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/brewput/brewput/internal/host"
)

// guardChild watches the memory of a child from outside, because the child may have no time to do so. The
// channel receives the usage at the moment when memory is too full and the child holds more than all that is
// left. It stops when over is closed.
func guardChild(memory func() (usage, bool), over <-chan struct{}) <-chan usage {
	full := make(chan usage, 1)
	go func() {
		tick := time.NewTicker(guardEvery)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
			}
			if u, known := memory(); known && u.greedy() {
				full <- u
				return
			}
		}
	}()
	return full
}

// greedy reports whether memory is full and this process holds most of it.
func (u usage) greedy() bool { return !u.fits() && u.held > u.spare+u.free }

// childMemory returns a function that reads the usage of memory by a child and by the machine.
func childMemory(pid int) func() (usage, bool) {
	return func() (u usage, known bool) {
		var also bool
		u.free, u.total, known = host.Memory()
		u.held, also = host.Resident(pid)
		return u, known && also
	}
}

// fullChild returns the error of a live trial that the memory guard ended. stderr is what its process printed.
func fullChild(stderr string, u usage) error {
	goroutines := "an unknown number of goroutines, which it had no time to count"
	if n := goroutineCount(stderr); n > 0 {
		goroutines = fmt.Sprintf("%d goroutines", n)
	}
	return fmt.Errorf("the memory guard ended the trial, because memory was full, with %s; run fewer goroutines at "+
		"a time, let each hold less, or end other programs (%v)", goroutines, u)
}

// goroutineCount returns the number of goroutines that a child reported; 0 if it reported none.
func goroutineCount(stderr string) int {
	before, _, _ := strings.Cut(countLine, "%")
	for line := range strings.Lines(stderr) {
		if number, ok := strings.CutPrefix(line, before); ok {
			if n, err := strconv.Atoi(strings.TrimSpace(number)); err == nil {
				return n
			}
		}
	}
	return 0
}

// racePosition returns the positions of the two accesses in the first report of the race detector, as " at
// FILE:LINE and FILE:LINE". Each is the innermost function of the design: frames of the harness, the runtime
// and assembly are skipped. It returns "" if there is none.
func racePosition(report string) string {
	_, report, found := strings.Cut(report, "WARNING: DATA RACE")
	if !found {
		return ""
	}
	report, _, _ = strings.Cut(report, "==================")
	var places []string
	for block := range strings.SplitSeq(report, "\n\n") {
		head, frames, _ := strings.Cut(strings.TrimLeft(block, "\n"), "\n")
		if strings.HasPrefix(strings.TrimSpace(head), "Goroutine ") { // the stack where the goroutine was started
			continue
		}
		if at := innermostFrame(frames); at != "" && len(places) < 2 {
			places = append(places, at)
		}
	}
	if len(places) == 0 {
		return ""
	}
	return " at " + strings.Join(places, " and ")
}

// innermostFrame returns the position of the innermost function of the design in the frames of an access.
func innermostFrame(frames string) string {
	lines := strings.Split(frames, "\n")
	for i := 0; i+1 < len(lines); i += 2 {
		function, at := strings.TrimSpace(lines[i]), strings.TrimSpace(lines[i+1])
		at, _, _ = strings.Cut(at, " +0x")
		if isHarness(function) || strings.Contains(at, ".s:") || !strings.Contains(at, ".go:") {
			continue
		}
		return shortPosition(at)
	}
	return ""
}
