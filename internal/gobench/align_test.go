package gobench

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// sideOf returns a side of one benchmark at points such as "GOGC=50 pgo=off", all at one CPU.
func sideOf(name string, x *Experiment, gogc string, points ...string) *Side {
	s := &Side{File: &File{Path: name, Common: map[string]string{}}, Name: name, Experiment: x}
	if x != nil {
		s.Environment = result.Environment{GOGC: gogc, GOMEMLIMIT: "off"}
	}
	for _, text := range points {
		p := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)})
		for _, word := range strings.Fields(text) {
			factor, level, _ := strings.Cut(word, "=")
			p = p.With(factor, plan.TextLevel(level))
		}
		s.Cases = append(s.Cases, plan.Case{Design: "X", Point: p})
		for b := range 3 {
			s.Trials = append(s.Trials, result.Trial{Kind: result.KindTrial, Workload: "w", Design: "X",
				World: result.Live, Point: p, Block: b,
				Status: result.OK, Expected: true, Type: result.Benchmark,
				Metrics: result.Metrics{result.TimePerOp: result.Value(100 + b)}})
		}
	}
	return s
}

// with returns a changed side.
func with(s *Side, change func(*Side)) *Side {
	change(s)
	return s
}

// TestAlign checks which parts of two sides are compared, and the notes.
func TestAlign(t *testing.T) {
	run := func() *Experiment { return &Experiment{Package: "w", Layouts: 1, Time: time.Second} }
	base, other := run(), run()
	base.BaseRev, base.BaseCommit = "main", "1111111"
	other.Layouts, other.Time, other.Commit, other.Toolchain = 3, 2*time.Second, "2222222222222222", "go1.26.0"
	plain := run()
	plain.Commit, plain.Modified, plain.Toolchain = "3333333333333333", true, "go1.25.1"
	for _, c := range []struct {
		name       string
		old, new   *Side
		sides      string // levels of the compared rows, new / old
		said, both string // notes; settings that differ
	}{
		{"two plain runs", sideOf("old", run(), "100", ""), sideOf("new", run(), "100", ""), " / ", "", ""},
		{"a base", sideOf("old", run(), "100", ""), sideOf("new", base, "100", "rev=base", "rev=head"), " / ",
			"of the new, measured with the base main, only the head is compared", ""},
		{"two bases", sideOf("old", base, "100", "rev=base", "rev=head"),
			sideOf("new", base, "100", "rev=base", "rev=head"), " / ",
			"of the old, measured with the base main, only the head is compared; of the new, measured with the base " +
				"main, only the head is compared", ""},
		{"a file with a base", sideOf("old", nil, "", "rev=base", "rev=head"), sideOf("new", nil, "", ""), " / ",
			"of the old, which has a base and a head, only the head is compared", ""},
		{"a file with a base and lines of neither", sideOf("old", nil, "", "", "rev=base", "rev=head"),
			sideOf("new", nil, "", ""), " / ",
			"of the old, which has a base and a head, only the head is compared", ""},
		{"an empty level beside who knows what", sideOf("old", run(), "100", "BEANS=", "BEANS=2"),
			sideOf("new", run(), "100", ""), " / BEANS=;  / BEANS=2",
			"only the old varies BEANS (, 2), and the level of the new is unknown: each level is compared with it " +
				"in a separate table, with its own geometric mean", ""},
		{"a level that the other was measured at", sideOf("old", run(), "100", ""),
			sideOf("new", run(), "100", "GOGC=50", "GOGC=100"), " / ",
			"the new varies GOGC (50, 100); only GOGC=100 is compared, at which the old was measured", ""},
		{"levels that the other was not measured at", sideOf("old", run(), "100", ""),
			sideOf("new", run(), "100", "GOGC=50", "GOGC=200"), "GOGC=50 / ; GOGC=200 / ",
			"only the new varies GOGC (50, 200), and the old was measured at GOGC=100: each level is compared with " +
				"it in a separate table, with its own geometric mean", ""},
		{"levels beside who knows what", sideOf("old", run(), "100", "BEANS=1", "BEANS=2"),
			sideOf("new", run(), "100", ""), " / BEANS=1;  / BEANS=2",
			"only the old varies BEANS (1, 2), and the level of the new is unknown: each level is compared with it " +
				"in a separate table, with its own geometric mean", ""},
		{"levels of both", sideOf("old", run(), "100", "BEANS=1", "BEANS=2"),
			sideOf("new", run(), "100", "BEANS=2", "BEANS=3"), " / ", "", ""},
		{"a level and levels", sideOf("old", run(), "100", "BEANS=1", "BEANS=2"),
			sideOf("new", run(), "100", "BEANS=2"), " / ",
			"the old varies BEANS (1, 2); only BEANS=2 is compared, at which the new was measured", ""},
		{"levels of a file", sideOf("old", nil, "", "gogc=50", "gogc=100"), sideOf("new", run(), "100", ""), " / ",
			"the old varies gogc (50, 100); only gogc=100 is compared, at which the new was measured", ""},
		{"levels of a file and a run", sideOf("old", nil, "", "gogc=50", "gogc=100"),
			sideOf("new", run(), "100", "GOGC=100", "GOGC=200"), " / ", "", ""},
		{"levels of a run and a file", sideOf("old", run(), "100", "GOGC=100", "GOGC=200"),
			sideOf("new", nil, "", "gogc=50", "gogc=100"), " / ", "", ""},
		{"what all lines of a file have",
			with(sideOf("old", nil, "", ""), func(s *Side) { s.Common["branch"], s.Common["gogc"] = "main", "50" }),
			with(sideOf("new", nil, "", ""), func(s *Side) { s.Common["branch"] = "fix" }), " / ", "",
			"branch: main, fix; gogc: 50, not given"},
		{"a setting of one", sideOf("old", run(), "100", "pgo=off"), sideOf("new", run(), "100", ""), " / ", "",
			"pgo: off, not given"},
		{"a setting of both", sideOf("old", run(), "100", "pgo=off GOGC=50"), sideOf("new", run(), "50", "pgo=auto"),
			" / ", "", "pgo: off, auto"},
		{"a limit in other words", sideOf("old", run(), "100", "GOMEMLIMIT=1GiB"),
			sideOf("new", run(), "100", "GOMEMLIMIT=1024MiB"), " / ", "", ""},
		{"the environment", sideOf("old", run(), "100", ""), sideOf("new", run(), "off", ""), " / ", "",
			"GOGC: 100, off"},
		{"more of the environment", with(sideOf("old", run(), "100", ""),
			func(s *Side) { s.Environment.GODEBUG = new("x=1") }),
			with(sideOf("new", run(), "100", ""), func(s *Side) {
				s.Environment.GOMEMLIMIT, s.Environment.GODEBUG = "1024", new("x=2")
			}), " / ", "", "GOMEMLIMIT: off, 1024; GODEBUG: x=1, x=2"},
		{"a setting of the runtime that one has", sideOf("old", run(), "100", ""),
			with(sideOf("new", run(), "100", ""), func(s *Side) { s.Environment.GODEBUG = new("x=1") }),
			" / ", "", "GODEBUG: none, x=1"},
		{"a setting of the runtime that a run has and a file does not tell", sideOf("old", run(), "100", ""),
			sideOf("new", nil, "", ""), " / ", "", ""},
		{"the machine and what measured", with(sideOf("old", run(), "100", ""), func(s *Side) {
			s.Version, s.Environment.Governor, s.Environment.Fingerprint = "v1", new("powersave"),
				"f"
		}), with(sideOf("new", run(), "100", ""), func(s *Side) {
			s.Version, s.Environment.Governor, s.Environment.Fingerprint,
				s.Experiment.Package = "v2", new("performance"), "g", "w2"
		}), " / ", "", "package: w, w2; governor: powersave, performance; brewput: v1, v2"},
		{"all else", sideOf("old", plain, "100", ""), sideOf("new", other, "100", ""), " / ", "",
			"commit: 333333333333 with uncommitted changes, 222222222222; benchtime: 1s, 2s; layouts: 1, 3; go: " +
				"go1.25.1, go1.26.0"},
	} {
		differences, notes := align(c.old, c.new)
		var both, sides []string
		for _, d := range differences {
			both = append(both, fmt.Sprintf("%s: %s, %s", d.Name, d.B, d.A))
		}
		if got := strings.Join(notes, "; "); got != c.said {
			t.Errorf("%s: says\n%s\nwant\n%s", c.name, got, c.said)
		}
		if got := strings.Join(both, "; "); got != c.both {
			t.Errorf("%s: differ in\n%s\nwant\n%s", c.name, got, c.both)
		}
		page, _ := compareSides(c.old, c.new)
		for _, p := range page.Metrics[0].Groups {
			if len(p.Verdicts) != 1 {
				t.Errorf("%s: %d rows that look alike", c.name, len(p.Verdicts))
			}
			sides = append(sides, p.Verdicts[0].OnlyA.String()+" / "+p.Verdicts[0].OnlyB.String())
		}
		if got := strings.Join(sides, "; "); got != c.sides {
			t.Errorf("%s: compares %q, want %q", c.name, got, c.sides)
		}
	}
}

// TestPackages checks that a package that was renamed is compared with itself, and that two packages of one
// file stay two.
func TestPackages(t *testing.T) {
	rows := func(older, newer []string) string {
		sides := []*Side{sideOf("old", nil, "", ""), sideOf("new", nil, "", "")}
		for k, names := range [][]string{older, newer} {
			s := sides[k]
			some := s.Trials
			s.Trials = nil
			for _, name := range names {
				for _, trial := range some {
					trial.Workload = name
					s.Trials = append(s.Trials, trial)
				}
			}
		}
		c, _ := compareSides(sides[0], sides[1])
		var list []string
		for _, v := range c.Metrics[0].Groups[0].Verdicts {
			list = append(list, fmt.Sprint(v.Workload, " ", v.NB, " ", v.NA))
		}
		return strings.Join(list, "; ")
	}
	if got := rows([]string{"a"}, []string{"b"}); got != "b 3 3" {
		t.Errorf("a renamed package: %s", got)
	}
	if got := rows([]string{"a", "b"}, []string{"a", "b"}); got != "a 3 3; b 3 3" {
		t.Errorf("two packages: %s", got)
	}
}

// TestJoined checks the warnings about files or runs of a side that differ, and their common rows.
func TestJoined(t *testing.T) {
	run := func() *Experiment { return &Experiment{Package: "w", Layouts: 1, Time: time.Second} }
	base, longer := run(), run()
	base.BaseRev, longer.Time, longer.Layouts = "main", 2*time.Second, 3
	alike := func(level string) *Side {
		return with(sideOf("b", nil, "", ""), func(s *Side) { s.Common["branch"] = level })
	}
	for _, c := range []struct {
		name       string
		a, b       *Side
		rows       string // design, point and trials
		said, gone string // warnings of b, without the common part; notes
	}{
		{"two files", sideOf("a", nil, "", ""), sideOf("b", nil, "", ""), "cpus=1 6", "", ""},
		{"two runs", sideOf("a", run(), "100", ""), sideOf("b", run(), "100", ""), "cpus=1 6", "", ""},
		{"a setting", sideOf("a", run(), "100", ""), sideOf("b", run(), "50", ""), "cpus=1 6",
			"GOGC is 100 in a and 50 here", ""},
		{"single levels", sideOf("a", run(), "100", "GOGC=100"), sideOf("b", run(), "100", ""), "cpus=1 6", "", ""},
		{"single levels that differ", sideOf("a", run(), "100", "GOGC=50"), sideOf("b", run(), "100", ""), "cpus=1 6",
			"GOGC is 50 in a and 100 here", ""},
		{"how they were measured", sideOf("a", run(), "100", ""), sideOf("b", longer, "100", ""), "cpus=1 6",
			"benchtime is 1s in a and 2s here, layouts is 1 in a and 3 here", ""},
		{"levels of both", sideOf("a", nil, "", "gogc=50", "gogc=100"), sideOf("b", nil, "", "gogc=50", "gogc=100"),
			"cpus=1 gogc=50 6; cpus=1 gogc=100 6", "", ""},
		{"levels of one", sideOf("a", nil, "", "gogc=50", "gogc=100"), sideOf("b", nil, "", "gogc=100"),
			"cpus=1 gogc=50 3; cpus=1 gogc=100 6",
			"gogc is 50, 100 in a and 100 here", ""},
		{"a base in one", sideOf("a", run(), "100", ""), sideOf("b", base, "100", "rev=base", "rev=head"), "cpus=1 6",
			"",
			"of the b, measured with the base main, only the head is compared"},
		{"a run that was stopped in the base", sideOf("a", run(), "100", ""), with(sideOf("b", base, "50", "rev=base",
			"rev=head"), func(s *Side) { s.Trials = s.Trials[:1] }), "cpus=1 3", "GOGC is 100 in a and 50 here",
			"of the b, measured with the base main, only the head is compared"},
		{"lines of one file", sideOf("a", nil, "", ""), alike("main"), "cpus=1 6",
			"branch is not given in a and main here", ""},
	} {
		s, notes, warnings := join("old", []*Side{c.a, c.b})
		var rows, said []string
		for _, r := range s.asRun().Rows {
			rows = append(rows, fmt.Sprint(r.Point, " ", r.N))
		}
		for _, w := range warnings {
			text := strings.TrimPrefix(w.Text, "b: this run is not a replicate of a, on the same side: ")
			said = append(said, strings.TrimSuffix(text, "; measure all runs of a side with one program "+
				"and the same settings"))
		}
		if got := strings.Join(rows, "; "); got != c.rows || strings.Join(said, "; ") != c.said ||
			strings.Join(notes, "; ") != c.gone {
			t.Errorf("%s: rows %s, want %s; warnings %q, want %q; notes %q", c.name, got, c.rows, said, c.said, notes)
		}
	}
	// The other side knows a level that all runs of a side were given.
	s, _, _ := join("old", []*Side{sideOf("a", run(), "100", "BEANS=1"), sideOf("b", run(), "100", "BEANS=1")})
	differences, _ := align(s, sideOf("new", run(), "100", "BEANS=2"))
	if len(differences) != 1 || differences[0].B != "1" || differences[0].A != "2" {
		t.Errorf("levels of runs: %+v", differences)
	}
	s, _, _ = join("old", []*Side{sideOf("a", run(), "100", "GOGC=50"), sideOf("b", run(), "100", "GOGC=50")})
	if differences, _ = align(s, with(sideOf("new", nil, "", ""), func(s *Side) { s.Common["gogc"] = "50" })); len(
		differences) != 0 {
		t.Errorf("a level of runs and of a file: %+v", differences)
	}
}
