package main

import (
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brewput/brewput/proof/record"
	"github.com/brewput/brewput/tools/repository"
)

// TestTally counts right and wrong runs, and checks when a promise is broken.
func TestTally(t *testing.T) {
	runs := func(exits map[string][]int) table {
		var list []outcome
		for name, codes := range exits {
			if count(nil, name) != 0 || !strings.Contains(strings.Join(names(), "|"), name) {
				t.Fatalf("there is no kind %q", name)
			}
			for _, code := range codes {
				list = append(list, outcome{Kind: name, Exit: code, Cost: 1.02, Blocks: 10, Seconds: 3})
			}
		}
		return tally(list)
	}
	const none, order, loaded = "no change, 5% allowed", "another order, 5%, 5 layouts", "no change, under load"
	for _, c := range []struct {
		exits  map[string][]int
		right  int
		broken bool
	}{
		{map[string][]int{none: {0, 0, 0, 0}, order: {0, 3}}, 5, false},
		{map[string][]int{none: {0, 0, 0, 3, 3, 3, 3}}, 3, true}, // Wilson's interval ends at 75%
		{map[string][]int{none: {0, 0, 0, 0}, order: {0, 1}}, 5, true},
		{map[string][]int{none: {0, 0, 0, 0}, loaded: {3, 0, 0, 0}}, 4, true},
	} {
		table := runs(c.exits)
		if right, _ := table.sum(false); right != c.right || table.broken() != c.broken {
			t.Errorf("%v: %d right, broken %v", c.exits, right, table.broken())
		}
	}
	text := runs(map[string][]int{none: {0, 0, 0, 0}, order: {0, 1}}).text()
	if !strings.Contains(text, "Idle: right in 5 of 6, 83.3% (95% Wilson interval 43.6% to 97.0%)") ||
		!strings.Contains(text, "a regression 1 times") {
		t.Error(text)
	}
}

// TestGates judges recorded runs, and checks that nothing is judged while runs are left. Disturbed runs are left.
func TestGates(t *testing.T) {
	c := &campaign{program: filepath.Join(t.TempDir(), "brewput"), runs: 8, piece: record.NewPiece(1)} // no new run
	if err := os.WriteFile(c.program, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	sum, err := record.Hash(c.program)
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]struct {
		runs   int
		others float64
		exit   func(kind) int
		code   int
	}{
		"none":                {0, 0, right, record.ExitUndecided},
		"all right":           {8, 0, right, 0},
		"all disturbed":       {8, 1, right, record.ExitUndecided},
		"all passed":          {8, 0, func(kind) int { return passes }, record.ExitBroken},
		"too few, all passed": {7, 0, func(kind) int { return passes }, record.ExitUndecided},
	} {
		c.record = filepath.Join(t.TempDir(), "record")
		for _, k := range kinds {
			for range x.runs {
				o := outcome{Kind: k.name, Program: sum, Exit: x.exit(k), Others: x.others}
				if err := record.Append(c.record, o); err != nil {
					t.Fatal(err)
				}
			}
		}
		if code, err := c.gates(t.Context()); code != x.code || err != nil {
			t.Errorf("%s: exit %d, %v", name, code, err)
		}
	}
}

func right(k kind) int { return k.right[0] }

// TestDisturbed checks that a disturbed run is repeated, unless its kind is under load.
func TestDisturbed(t *testing.T) {
	list := []outcome{{Kind: kinds[0].name, Others: 0.11, Exit: 3}, {Kind: kinds[0].name, Others: 0.09},
		{Kind: kinds[len(kinds)-1].name, Others: 1, Exit: 3}}
	if n := count(list, kinds[0].name); n != 1 {
		t.Errorf("%d runs count", n)
	}
	table := tally(list)
	if right, n := table.sum(false); right != 1 || n != 1 ||
		!strings.Contains(table.text(), "Not counted: 1 run during which") {
		t.Errorf("%d of %d: %s", right, n, table.text())
	}
	if right, n := table.sum(true); right != 1 || n != 1 {
		t.Errorf("under load %d of %d", right, n)
	}
}

func names() []string {
	var list []string
	for _, k := range kinds {
		list = append(list, k.name)
	}
	return list
}

// TestRecord checks that a campaign continues after a kill, but not with another build.
func TestRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record")
	if list, err := record.Read(path, fromProgram("a")); err != nil || list != nil {
		t.Fatalf("%v %v", list, err)
	}
	for range 2 {
		if err := record.Append(path, outcome{Kind: "k", Program: "a", Exit: 3}); err != nil {
			t.Fatal(err)
		}
	}
	list, err := record.Read(path, fromProgram("a"))
	if err != nil || count(list, "k") != 2 || list[1].Exit != undecided {
		t.Errorf("%v %v", list, err)
	}
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, text[:len(text)-3], 0o666) // as a kill leaves it
	}
	if err != nil {
		t.Fatal(err)
	}
	if list, err := record.Read(path, fromProgram("a")); err != nil || count(list, "k") != 1 {
		t.Errorf("after a kill: %v %v", list, err)
	}
	if _, err := record.Read(path, fromProgram("b")); err == nil || !strings.Contains(err.Error(), "another build") {
		t.Errorf("another build: %v", err)
	}
}

// TestBrewputFails checks that a command that fails, or prints no complete verdict, is an error.
func TestBrewputFails(t *testing.T) {
	c := &campaign{program: filepath.Join(t.TempDir(), "brewput"), repo: t.TempDir()}
	gate := func() error { _, err := c.one(t.Context(), kind{name: "k"}, 1); return err }
	compare := func() error { _, err := c.verdict(t.Context(), "compare"); return err }
	for _, x := range []struct {
		script string
		run    func() error
		want   string
	}{
		{`echo '{"cost":1,"low":0.9,"high":1.1,"n":10}'`, gate, ""},
		{`echo '{"cost":1,"low":0.9}'`, gate, `k: gate says {"cost":1,"low":0.9}`},
		{"echo broken >&2; exit 4", gate, "k: gate exits with 4:\nbroken\n"},
		{`echo '{"kind":"verdict","metric":"time_per_op_ns"}'`, compare, ""},
		{"echo broken >&2; exit 4", compare, "compare exits with 4:\nbroken\n"},
		{"exit 0", compare, "compare gives no verdict:\n"},
	} {
		if err := os.WriteFile(c.program, []byte("#!/bin/sh\n"+x.script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := x.run(); err != nil {
			got = err.Error()
		}
		if got != x.want {
			t.Errorf("%s: %q, want %q", x.script, got, x.want)
		}
	}
}

// TestSources checks that the sources are formatted Go, and that every change differs from the base.
func TestSources(t *testing.T) {
	dir := t.TempDir()
	if err := repository.Write(dir, base); err != nil {
		t.Fatal(err)
	}
	for _, k := range append(kinds, kind{change: base}) {
		for name, text := range k.change {
			if was, err := os.ReadFile(filepath.Join(dir, name)); err != nil || k.name != "" && string(was) == text {
				t.Errorf("%s: %s: %v", k.name, name, err)
			}
			if got, err := format.Source([]byte(text)); strings.HasSuffix(name, ".go") &&
				(err != nil || string(got) != text) {
				t.Errorf("%s is not formatted: %v\n%s", name, err, text)
			}
		}
	}
}
