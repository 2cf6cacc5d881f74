package main

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/sim"
)

// TestRace prints a row for each engine, and reports one that is too slow compared with an invented one.
func TestRace(t *testing.T) {
	m := model{number: 2000}
	for took, missed := range map[time.Duration][]string{
		time.Hour: nil, 1: {"unlimited CPUs", "rules of Go, 4 CPUs", "lists, unlimited CPUs", "lists, rules, 4 CPUs"},
	} {
		var out bytes.Buffer
		b := &bench{out: &out, customers: 2000, rounds: 3}
		peer := engine{"SimPy", func(uint64) (outcome, error) { return outcome{took, 2000, 10}, nil }, 0}
		err := b.race(m, append([]engine{peer}, mm1(m.number)...), "M/M/1", "customer")
		if err != nil || !slices.Equal(b.missed, missed) {
			t.Errorf("a peer that takes %v: %v, missed %q, want %q", took, err, b.missed, missed)
		}
		for _, want := range []string{`(?m)^SimPy +\d+ .* 1\.0x +10\.000`, `(?m)^unlimited CPUs .* floor 35x: `,
			`(?m)^rules of Go, 4 CPUs .* floor 20x: `,
			`(?m)^lists, unlimited CPUs .* floor 90x: `, `(?m)^lists, rules, 4 CPUs .* floor 50x: `} {
			if !regexp.MustCompile(want).MatchString(out.String()) {
				t.Errorf("does not print %s:\n%s", want, out.String())
			}
		}
	}
	b := &bench{out: new(bytes.Buffer), rounds: 1}
	if b.race(m, []engine{{"peer", func(uint64) (outcome, error) { return outcome{1, 1999, 10}, nil }, 0}}, "",
		"") == nil {
		t.Error("a peer that loses a customer is believed")
	}
}

// TestModels checks the results of the timed models.
func TestModels(t *testing.T) {
	for _, keyed := range []bool{false, true} {
		var means []float64
		for _, cpus := range []int{sim.Unlimited, 4} {
			o, err := (&queue{customers: 300_000, seed: 1, keyed: keyed}).simulate(cpus)
			// the standard deviation is 3.5%
			if err != nil || o.served != 300_000 || o.mean < 0.9*theory || o.mean > 1.1*theory {
				t.Errorf("%d CPUs, keyed %v: %+v, %v", cpus, keyed, o, err)
			}
			means = append(means, o.mean)
		}
		if means[0] != means[1] { // the draws are the same, and there are enough CPUs
			t.Errorf("mean %v where CPUs are unlimited and %v on 4", means[0], means[1])
		}
	}
	var means []float64
	for _, cpus := range []int{sim.Unlimited, 4} {
		o, err := (&queue{customers: 300_000, seed: 1}).list(cpus)
		if err != nil || o.served != 300_000 || o.mean < 0.9*theory || o.mean > 1.1*theory {
			t.Errorf("as lists, %d CPUs: %+v, %v", cpus, o, err)
		}
		means = append(means, o.mean)
	}
	o, err := (&queue{customers: 300_000, seed: 1}).simulate(4)
	// the customers are the same
	if means = append(means, o.mean); err != nil || means[0] != means[1] || means[1] != means[2] {
		t.Errorf("as lists the mean is %v where CPUs are unlimited and %v on 4, and as coroutines %v (%v)", means[0],
			means[1], means[2], err)
	}
	for name, run := range map[string]func(uint64) (outcome, error){
		"heap": model{number: 300_000}.byHeap, "sleeping heap": model{100, 300_000}.byHeap,
		"sleeping lists": model{100, 300_000}.byLists,
	} {
		want := 1.0
		if name == "heap" {
			want = theory
		}
		if o, err := run(1); err != nil || o.served != 300_000 || o.mean < 0.9*want || o.mean > 1.1*want {
			t.Errorf("%s: %+v, %v; want a mean of %v", name, o, err, want)
		}
	}
	if lattes, operations, err := serve("locking", 8, 20, time.Second); err != nil || lattes < 240 || lattes > 250 ||
		operations < 1000 {
		t.Errorf("%d lattes, %d operations, %v; one lock serves 250 a second", lattes, operations, err)
	}
	for _, cpus := range []int{sim.Unlimited, 4} {
		for _, lists := range []bool{false, true} {
			// elsewhere the memory of a process is unknown
			if _, err := blocked(1000, cpus, lists); err != nil && runtime.GOOS == "linux" {
				t.Error(err)
			}
		}
	}
}

// TestOften checks that an engine runs until its time is over, and that often returns the mean and the first error.
func TestOften(t *testing.T) {
	runs, sum := 0, time.Duration(0)
	e := engine{run: func(uint64) (outcome, error) {
		if runs++; runs == 3 {
			return outcome{}, errors.New("third")
		}
		took := time.Duration(1000 * runs)
		if runs > 3 {
			sum += took
		}
		return outcome{took, 10, 10}, nil
	}}
	if _, err := e.often(1, 10, time.Hour); fmt.Sprint(err) != "third" || runs != 3 {
		t.Errorf("%d runs in an hour, %v; want 3, of which the last fails", runs, err)
	}
	if o, err := e.often(1, 10, 20*time.Millisecond); err != nil ||
		o != (outcome{sum / time.Duration(runs-3), 10, 10}) || runs < 4 {
		t.Errorf("%d runs of %v in all are one of %v, %v", runs-3, sum, o.took, err)
	}
}

// TestParts finds parts by name, and refuses an unknown one before any runs.
func TestParts(t *testing.T) {
	var out bytes.Buffer
	b := &bench{out: &out, customers: 1000}
	if runs, err := b.parts(everything, nil); err != nil || len(runs) != 5 {
		t.Errorf("%d parts of %s, %v", len(runs), everything, err)
	}
	if runs, err := b.parts("steady,,memory", nil); err == nil || runs != nil ||
		!strings.Contains(err.Error(), `no part ""`) {
		t.Errorf("%d parts, %v; want an error of an empty name", len(runs), err)
	}
	runs, err := b.parts("steady", nil)
	if err != nil || len(runs) != 1 || runs[0]() != nil || !strings.Contains(out.String(), "Allocations after") {
		t.Errorf("%d parts, %v, print %q", len(runs), err, out.String())
	}
}

// TestCompareGains checks that a gain of replications is compared with the possible gain of the same round.
func TestCompareGains(t *testing.T) {
	for _, x := range []struct {
		what          string
		limits, gains []float64
		missed        bool
		want          string
	}{
		{"two CPUs", []float64{2, 1.98, 2}, []float64{1.95, 1.9, 1.97}, false,
			"rules 1.95x (1.90 to 1.97), 0.97 (0.96 to 0.98) of arithmetic  floor 0.9 of arithmetic: kept"},
		{"a host that gives one", []float64{1.01, 1, 2}, []float64{1.01, 1.02, 1.95}, false, "kept"},
		{"replications that wait for each other", []float64{2, 1.98, 2}, []float64{1.5, 1.9, 1.6}, true,
			"0.80 (0.75 to 0.96) of arithmetic  floor 0.9 of arithmetic: MISSED"},
		{"the same on a host that gives one", []float64{1, 1, 1}, []float64{0.7, 0.8, 0.7}, true, "MISSED"},
	} {
		var out bytes.Buffer
		b := &bench{out: &out}
		b.compareGains("rules", x.limits, x.gains)
		text := strings.Join(strings.Fields(out.String()), " ")
		if missed := len(b.missed) > 0; missed != x.missed ||
			!strings.Contains(text, strings.Join(strings.Fields(x.want), " ")) {
			t.Errorf("%s: missed %q; it prints %q", x.what, b.missed, text)
		}
	}
}
