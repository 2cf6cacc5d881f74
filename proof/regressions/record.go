package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/proof/idle"
	"github.com/brewput/brewput/result"
)

// outcome is one run of gate, a line of the record.
type outcome struct {
	Kind    string  `json:"kind"`
	Program string  `json:"program"` // SHA-256
	Exit    int     `json:"exit"`
	Cost    float64 `json:"cost"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	Blocks  int     `json:"blocks"`
	Seconds float64 `json:"seconds"`
	Others  float64 `json:"others"` // CPUs that other processes and the hypervisor used during the run
}

// disturbed reports whether other processes disturbed a run that needs an idle machine. It is not counted, and
// repeated.
func (o outcome) disturbed() bool {
	at := slices.IndexFunc(kinds, func(k kind) bool { return k.name == o.Kind })
	return at >= 0 && !kinds[at].loaded && o.Others > idle.MaxOthers
}

// fromProgram accepts runs of one program.
func fromProgram(program string) func(outcome) error {
	return func(o outcome) error {
		if o.Program != program {
			return errors.New("the record is from another build: remove the file")
		}
		return nil
	}
}

// count is the number of undisturbed runs of a kind.
func count(list []outcome, name string) int {
	n := 0
	for _, o := range list {
		if o.Kind == name && !o.disturbed() {
			n++
		}
	}
	return n
}

// row counts the runs of a kind.
type row struct {
	kind             kind
	n, right, wrong  int // wrong are runs with an exit code that may never occur
	pass, fail, open int
	disturbed        int
	costs, seconds   []float64
	blocks           []float64
}

// table counts all runs.
type table []row

func tally(list []outcome) table {
	var t table
	for _, k := range kinds {
		r := row{kind: k}
		for _, o := range list {
			if o.Kind != k.name {
				continue
			}
			if o.disturbed() {
				r.disturbed++
				continue
			}
			r.n++
			r.right += one(slices.Contains(k.right, o.Exit))
			r.wrong += one(slices.Contains(k.never, o.Exit))
			r.pass, r.fail, r.open = r.pass+one(o.Exit == passes), r.fail+one(o.Exit == fails),
				r.open+one(o.Exit == undecided)
			r.costs, r.seconds, r.blocks = append(r.costs, o.Cost), append(r.seconds, o.Seconds),
				append(r.blocks, float64(o.Blocks))
		}
		t = append(t, r)
	}
	return t
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// promised is the share of runs in which gate is right.
const promised = 0.95

// sum counts the right runs, and all runs, with or without load.
func (t table) sum(loaded bool) (right, n int) {
	for _, r := range t {
		if r.kind.loaded == loaded {
			right, n = right+r.right, n+r.n
		}
	}
	return right, n
}

// broken reports whether the 95% interval of the share of right runs is below the promise, or a run is wrong.
func (t table) broken() bool {
	for _, loaded := range []bool{false, true} {
		if _, high := stat.WilsonInterval(t.sum(loaded)); high < promised {
			return true
		}
	}
	return slices.ContainsFunc(t, func(r row) bool { return r.wrong > 0 })
}

// text returns the table and its summary.
func (t table) text() string {
	var b strings.Builder
	const line = "%-34s %4v %6v %5v %5v %9v %8v %7v %7v\n"
	fmt.Fprintf(&b, line, "change", "runs", "right", "pass", "fail", "undecided", "cost", "blocks", "time")
	for _, r := range t {
		if r.n > 0 {
			fmt.Fprintf(&b, line, r.kind.name, r.n, r.right, r.pass, r.fail, r.open,
				fmt.Sprintf("%.4f", stat.Median(r.costs)), stat.Median(r.blocks),
				fmt.Sprintf("%.1fs", stat.Median(r.seconds)))
		}
	}
	b.WriteString("\nMedians of cost, blocks and time. ")
	for _, loaded := range []bool{false, true} {
		right, n := t.sum(loaded)
		if n == 0 {
			continue
		}
		low, high := stat.WilsonInterval(right, n)
		fmt.Fprintf(&b, "%s: right in %d of %d, %.1f%% (95%% Wilson interval %.1f%% to %.1f%%). ",
			map[bool]string{false: "Idle", true: "Under load"}[loaded],
			right, n, 100*float64(right)/float64(n), 100*low, 100*high)
	}
	disturbed := 0
	for _, r := range t {
		if disturbed += r.disturbed; len(r.kind.never) > 0 && r.n > 0 {
			fmt.Fprintf(&b, "Another order of functions was reported as a regression %d times. ", r.wrong)
		}
	}
	if disturbed > 0 {
		fmt.Fprintf(&b, "Not counted: %s during which other processes and the hypervisor used more than %.1f of a CPU.",
			result.Count(disturbed, "run"), idle.MaxOthers)
	}
	return strings.TrimSpace(b.String()) + "\n"
}
