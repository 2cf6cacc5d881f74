package host

import (
	"fmt"
	"testing"
	"testing/fstest"
	"time"
)

// procTree is /proc with one line for each process: ID, name, parent, ticks, start.
func procTree(list ...[5]any) fstest.MapFS {
	tree := fstest.MapFS{"self/stat": {}, "uptime": {}, "9/stat": {Data: []byte("9 (torn) R")}}
	for _, p := range list {
		text := fmt.Sprintf("%v (%v) R %v 0 0 0 0 0 0 0 0 0 %v 1 0 0 20 0 1 0 %v 0 0", p[0], p[1], p[2], p[3], p[4])
		tree[fmt.Sprint(p[0], "/stat")] = &fstest.MapFile{Data: []byte(text)}
	}
	return tree
}

// TestBusiest checks that the busiest other process is named, and neither this one, nor its descendants, nor one that
// only was busy before, is.
func TestBusiest(t *testing.T) {
	before := readProcesses(procTree([5]any{1, "init", 0, 5000, 1}, [5]any{10, "brewput", 1, 0, 2},
		[5]any{11, "a.test", 10, 0, 3}, [5]any{20, "web (x) y", 1, 100, 4}, [5]any{30, "old", 1, 900, 5}))
	after := readProcesses(procTree([5]any{1, "init", 0, 5010, 1}, [5]any{10, "brewput", 1, 900, 2},
		[5]any{11, "a.test", 10, 800, 3}, [5]any{20, "web (x) y", 1, 185, 4}, [5]any{30, "new", 1, 60, 6}))
	if got, want := after.busiest(before, time.Second, 10), "web (x) y (PID 20), 0.85 of a CPU"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if got := before.busiest(before, time.Second, 10); got != "" {
		t.Errorf("an idle machine has a busy process: %s", got)
	}
	if got := after.busiest(nil, time.Second, 10) + Processes(nil).busiest(nil, time.Second, 10); got != "" {
		t.Errorf("without a reading: %s", got)
	}
	if all := readProcesses(fstest.MapFS{}); all != nil {
		t.Errorf("a system without /proc has %v", all)
	}
}
