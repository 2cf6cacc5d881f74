package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// step is one record of a sweep.
type step struct {
	kind          string
	block, order  int
	trialsInBlock int
}

// sweep is a small sweep: trials of both kinds with and without histogram, blocks out of order, an interim
// analysis, an end.
func sweep() []step {
	return []step{
		{kind: result.KindTrial, block: 1, order: 0},
		{kind: result.KindInstrumented, block: 1, order: 1},
		{kind: kindBlock, block: 1, trialsInBlock: 2},
		{kind: kindInterim},
		{kind: result.KindTrial, block: 0, order: 0},
		{kind: result.KindInstrumented, block: 0, order: 0},
		{kind: kindBlock, block: 0, trialsInBlock: 2},
		{kind: kindEnd},
	}
}

// looked is the decision of the interim analysis, and spentUntil the time used of the budget after a block.
func looked() any { return map[string]int{"blocks": 5} }

func spentUntil(block int) time.Duration { return time.Duration(9-block) * time.Second }

func (s step) isTrial() bool { return s.kind == result.KindTrial || s.kind == result.KindInstrumented }

func (s step) trial() result.Trial {
	return result.Trial{Kind: s.kind, SchemaVersion: result.SchemaVersion, Design: "a\n<b>", Block: s.block,
		Order:   s.order,
		Point:   plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(2)}),
		Metrics: result.Metrics{result.Throughput: 1.5, result.CPUSeconds: result.Unavailable},
		Answer:  map[string]any{"sum": json.Number("18446744073709551615")}} // exceeds a float64
}

func (s step) histogram() map[string][]byte {
	if s.order > 0 {
		return nil
	}
	return map[string][]byte{"latency": fmt.Appendf(nil, "%s\x00\n%d", s.kind, s.block)}
}

// blob is a histogram of n bytes.
func blob(n int) map[string][]byte { return map[string][]byte{"latency": make([]byte, n)} }

func (s step) do(r *Run) error {
	switch s.kind {
	case kindBlock:
		return r.EndBlock(s.block, s.trialsInBlock, spentUntil(s.block))
	case kindInterim:
		return r.Interim(looked())
	case kindEnd:
		return r.End()
	default:
		return r.Append(s.trial(), s.histogram())
	}
}

// done reports whether the journal holds the step.
func (s step) done(j *Journal) bool {
	switch s.kind {
	case kindBlock:
		_, ok := j.Blocks[s.block]
		return ok
	case kindInterim:
		return len(j.Interims) > 0
	case kindEnd:
		return j.Ended
	default:
		return j.state.seen[key{s.block, s.order, s.kind == result.KindInstrumented}]
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func get[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		must(t, err)
		return v
	}
}

// wantError fails the test unless err contains each of the words.
func wantError(t testing.TB, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want one with %q", words)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Fatalf("the error %q does not say %q", err, w)
		}
	}
}

// write writes a run of these steps and returns its directory.
func write(t testing.TB, steps []step) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	r := get(create(dir, header(), withoutSync))(t)
	for _, s := range steps {
		must(t, s.do(r))
	}
	must(t, r.Close())
	return dir
}

func header() any { return map[string]string{"target": "<coffee>"} }

// complete does the steps that the journal lacks.
func complete(t testing.TB, r *Run, j *Journal, steps []step) {
	t.Helper()
	for _, s := range steps {
		if !s.done(j) {
			must(t, s.do(r))
		}
	}
	must(t, r.Close())
}

// verify fails the test unless the journal holds the first n steps, each once and in order.
func verify(t testing.TB, j *Journal, steps []step, n int) {
	t.Helper()
	var want []step
	for i, s := range steps {
		if s.done(j) != (i < n) {
			t.Fatalf("step %d (%v): in the journal: %v; want the first %d", i, s, s.done(j), n)
		}
		if i < n && s.isTrial() {
			want = append(want, s)
		}
	}
	var spent time.Duration
	looks := 0
	for _, s := range steps[:n] {
		switch s.kind {
		case kindBlock:
			spent = spentUntil(s.block)
		case kindInterim:
			looks++
		}
	}
	if j.Spent != spent || len(j.Interims) != looks || looks > 0 && string(j.Interims[0]) != `{"blocks":5}` {
		t.Fatalf("%v spent and looks %s; want %v and %d", j.Spent, j.Interims, spent, looks)
	}
	if string(j.Header) != `{"target":"<coffee>"}` {
		t.Fatalf("header %s", j.Header)
	}
	if len(j.Trials) != len(want) {
		t.Fatalf("%d trials; want %d", len(j.Trials), len(want))
	}
	var histograms []Histograms
	for i, s := range want {
		got, exp := get(encode(j.Trials[i]))(t), get(encode(s.trial()))(t)
		if !bytes.Equal(got, exp) {
			t.Fatalf("trial %d is\n%s want\n%s", i, got, exp)
		}
		if h := s.histogram(); h != nil {
			histograms = append(histograms, Histograms{s.block, s.order, s.kind == result.KindInstrumented, h})
		}
	}
	for h, err := range j.Histograms() {
		must(t, err)
		if len(histograms) == 0 || get(encode(h))(t) == nil ||
			!bytes.Equal(get(encode(h))(t), get(encode(histograms[0]))(t)) {
			t.Fatalf("the histogram %v is not the next of %v", h, histograms)
		}
		histograms = histograms[1:]
	}
	if len(histograms) > 0 {
		t.Fatalf("no histograms %v", histograms)
	}
}

func get2(t testing.TB) func(*Run, *Journal, error) (*Run, *Journal) {
	return func(r *Run, j *Journal, err error) (*Run, *Journal) {
		t.Helper()
		must(t, err)
		return r, j
	}
}
