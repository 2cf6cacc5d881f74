package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/brewput/brewput/catalog"
	"github.com/brewput/brewput/proof/record"
	"github.com/brewput/brewput/workload"
)

// Every claim names designs and levels that its workload has; those of other projects are in another module.
func TestClaims(t *testing.T) {
	all := catalog.All()
	names := map[string]bool{}
	for _, x := range cellsOf(allClaims()) {
		w, err := workload.Find(all, x.claim.workload)
		if err != nil {
			t.Fatal(err)
		}
		if names[x.String()] {
			t.Errorf("two cells have the name %s", x)
		}
		names[x.String()] = true
		if _, err := w.Select(x.claim.designs); err != nil {
			t.Error(err)
		}
		for name, level := range x.levels {
			f, ok := w.Factor(name)
			if !ok {
				t.Fatalf("%s has no factor %s", w.Name, name)
			}
			if _, err := f.Parse(level, nil); err != nil {
				t.Error(err)
			}
		}
	}
	if len(names) < 60 {
		t.Errorf("%d cells", len(names))
	}
}

// times returns ten times around a mean, of which two differ by a few percent.
func times(r *rand.Rand, mean float64) []float64 {
	out := make([]float64, 10)
	for i := range out {
		out[i] = mean * (1 + 0.02*r.Float64())
	}
	return out
}

// A design must keep the limit against each rival, and the best design counts.
func TestCompare(t *testing.T) {
	c := claim{designs: []string{"slow", "fast"}, rivals: []string{"x", "y"}, limits: []limit{{1.2, 1}, {1.0, 1}}}
	r := rand.New(rand.NewPCG(1, 1))
	build := func(slow, fast, x, y float64) comparison {
		return c.compare(entry{Wall: map[string][]float64{"slow": times(r, slow), "fast": times(r, fast),
			"x": times(r, x), "y": times(r, y)}})
	}
	for _, x := range []struct {
		slow, fast, x, y float64
		design, rival    string
		kept, broken     []bool
	}{
		{2, 1, 1, 1.5, "fast", "x", []bool{true, false}, []bool{false, false}},
		{2, 1, 1.5, 1.4, "fast", "y", []bool{true, true}, []bool{false, false}},
		{2, 1, 0.9, 0.7, "fast", "y", []bool{false, false}, []bool{true, true}},
		{1, 2, 2, 1.1, "slow", "y", []bool{true, true}, []bool{false, false}},
		{2, 1.1, 1, 1.5, "fast", "x", []bool{true, false}, []bool{false, true}},
	} {
		y := build(x.slow, x.fast, x.x, x.y)
		if y.design != x.design || y.rival != x.rival || y.ratio > y.bound {
			t.Errorf("%+v: %+v", x, y)
		}
		for i := range c.limits {
			if kept, broken := y.kept[i] <= alpha, y.broken[i] <= alpha; kept != x.kept[i] || broken != x.broken[i] {
				t.Errorf("%+v: limit %v: p %.3g and %.3g", x, c.limits[i].ratio, y.kept[i], y.broken[i])
			}
		}
	}
	y := c.compare(entry{Wall: map[string][]float64{"slow": {1}, "fast": {1}, "x": {9}, "y": {9}}})
	if y.kept[0] <= alpha ||
		y.broken[0] <= alpha {
		t.Errorf("one block decides: %+v", y)
	}
}

// Holm's method rejects in order until the first p-value above its share of alpha.
func TestHolm(t *testing.T) {
	for _, x := range []struct {
		ps   []float64
		want []bool
	}{
		{[]float64{0.01, 0.02, 0.03}, []bool{true, true, true}},
		{[]float64{0.04, 0.02, 0.03}, []bool{false, false, false}},
		{[]float64{0.04, 0.01, 0.03}, []bool{false, true, false}},
		{[]float64{0.05}, []bool{true}},
	} {
		if got := holm(x.ps); !slices.Equal(got, x.want) {
			t.Errorf("%v: %v", x.ps, got)
		}
	}
}

// The answer follows from the cells: kept, broken, undecided where syncs are too fast, or not complete.
func TestPrint(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	x := claim{name: "n", designs: []string{"a"}, rivals: []string{"b"}, syncs: true, limits: []limit{{0.5, 0.9}},
		cells: grid("k", "1 2")}
	build := func(cell string, a, sync float64) entry {
		return entry{Cell: cell, Sync: []float64{sync},
			Wall: map[string][]float64{"a": times(r, a), "b": times(r, 1)}}
	}
	for _, y := range []struct {
		what    string
		entries []entry
		code    int
		text    string
	}{
		{"kept", []entry{build("n k 1", 0.3, 1e-3), build("n k 2", 0.2, 1e-3)}, 0,
			"met        n: at most 0.5x shown in 2 of 2"},
		{"broken", []entry{build("n k 1", 0.3, 1e-3), build("n k 2", 0.6, 1e-3)}, record.ExitBroken, "missed"},
		{"fast syncs", []entry{build("n k 1", 0.3, 1e-5), build("n k 2", 0.6, 1e-3)}, record.ExitUndecided,
			"undecided"},
		{"noise", []entry{build("n k 1", 0.5, 1e-3), build("n k 2", 0.3, 1e-3)}, record.ExitUndecided, "undecided"},
		{"part", []entry{build("n k 1", 0.6, 1e-3)}, 0, "1 of 2 cells so far"},
	} {
		var out bytes.Buffer
		c := campaign{stdout: &out}
		done := map[string]entry{}
		for _, e := range y.entries {
			done[e.Cell] = e
		}
		if code := c.print(&x, done); code != y.code || !strings.Contains(out.String(), y.text) {
			t.Errorf("%s: exit %d\n%s", y.what, code, out.String())
		}
	}
}

// A claim without limits reports the ratio of each design, and neither passes nor fails.
func TestNoLimits(t *testing.T) {
	claims, err := named(allClaims(), "protoactor")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	var out bytes.Buffer
	c := campaign{stdout: &out}
	code := c.print(&claims[0], map[string]entry{"protoactor": {Cell: "protoactor", Wall: map[string][]float64{
		"draining": times(r, 1), "actor": times(r, 40), "protoactor": times(r, 20)}}})
	if code != 0 || len(claims[0].limits) > 0 {
		t.Errorf("exit %d, limits %v", code, claims[0].limits)
	}
	for _, want := range []string{`protoactor +draining +protoactor +0\.0(5|49)\d* +0\.05`,
		`protoactor +actor +protoactor +(2|1\.9)\S* +2`, `no limit +protoactor: the ratios are an indication`} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("%s is not in\n%s", want, out.String())
		}
	}
}

// An unknown claim is refused by name, and a missing program by its path.
func TestRefusals(t *testing.T) {
	if _, err := named(allClaims(), "set,sets"); err == nil || !strings.Contains(err.Error(), `"sets"`) {
		t.Error(err)
	}
	t.Setenv("BREWPUT_PLUGINS", filepath.Join(t.TempDir(), "none"))
	c := campaign{stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}, record: filepath.Join(t.TempDir(), "r")}
	if _, err := c.run(context.Background(), nil, record.Piece{}); err == nil ||
		!strings.Contains(fmt.Sprint(err), "none") {
		t.Error(err)
	}
}

// A record of another build is refused, and one with another number of blocks: more blocks may decide a claim. A
// claim may have its own number.
func TestRefusedRecords(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	if err := os.WriteFile(program, []byte("program"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("BREWPUT_PLUGINS", program)
	programs, err := hashes()
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range []struct {
		programs, cell string
		has, blocks    int
		want           string // in the error; "" for none
	}{
		{programs, "actor", 10, 10, ""},
		{programs, "actor", 10, 0, ""},
		{programs, "actor", 10, 20, "actor has 10 blocks, not 20: remove RECORD, or leave out -blocks"},
		{programs, "actor", 9, 0, "actor has 9 blocks, not 10: remove RECORD, or give -blocks 9"},
		{programs, "survives kill", 10, 10, ""},
		{programs, "survives kill", 10, 0, "survives kill has 10 blocks, not 20: remove RECORD, or give -blocks 10"},
		{programs, "survives kill", 20, 0, ""},
		{programs, "survives kill", 20, 10, "or leave out -blocks"},
		{"other", "actor", 10, 10, "another build"},
	} {
		c := campaign{stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}, blocks: x.blocks,
			record: filepath.Join(dir, fmt.Sprint(i))}
		wall := map[string][]float64{"ours": make([]float64, x.has), "theirs": make([]float64, x.has)}
		if err := record.Append(c.record, entry{Programs: x.programs, Cell: x.cell, Wall: wall}); err != nil {
			t.Fatal(err)
		}
		_, err := c.run(context.Background(), nil, record.Piece{})
		want := strings.ReplaceAll(x.want, "RECORD", c.record)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", x, err)
		}
	}
}
