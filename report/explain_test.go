package report

import (
	"bytes"
	"errors"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/explain"
	"github.com/brewput/brewput/tools/schematest"
)

// slow is a program with a serial end and many findings.
func slow() (explain.Report, *evidence.Evidence) {
	ms := time.Millisecond
	e := &evidence.Evidence{
		Program: evidence.Program{Name: "mandel", Module: "example.com/mandel", Dir: "/src/mandel",
			Source: func(file string, line int) string {
				if file == "/src/mandel/cmd/draw.go" && line == 31 {
					return "	n, err := f.Write(pixel[:])   // one at a time, which is written out at some " +
						"length here so that it must be cut"
				}
				return ""
			}},
		Runs: []evidence.Run{
			{CPUs: 2, MachineCPUs: 2, Count: 5, Wall: 812 * ms, WallLow: 800 * ms, WallHigh: 841 * ms},
			{CPUs: 1, MachineCPUs: 2, Count: 1, Wall: 1200 * ms},
		},
		Profiles: []evidence.Profile{{Kind: evidence.CPU}, {Kind: evidence.Heap}},
		Trace:    &evidence.Trace{Duration: 820 * ms, CPUs: 2},
	}
	for i := range 200 {
		wants, runs := 12.0, 2.0
		if i < 10 || i > 120 {
			wants, runs = 1, 1
		} else if i > 100 {
			wants = 3
		}
		e.Trace.Demand.Mean, e.Trace.Demand.Running = append(e.Trace.Demand.Mean, wants),
			append(e.Trace.Demand.Running, runs)
	}
	r := explain.Report{
		Findings: []explain.Finding{
			{Rank: 1, Name: "unbuffered-io", Level: explain.TraceLevel, Claim: "Every pixel is a system call of its " +
				"own, and these take most of the time of the program.",
				Where: []string{"cmd/draw.go:31"}, Functions: []string{"(*Canvas).Draw"}, Share: 0.62,
				Gain:       &explain.Gain{Metric: "wall_seconds", Estimate: 0.58, Low: 0.55, High: 0.61},
				Confidence: explain.High,
				Evidence: []string{"1000000 calls of write, 12 bytes each, 0.5 µs in the median",
					"62% of the CPU profile is in system calls"},
				Alternative: "the disk is slow", Fix: "wrap f in bufio.NewWriter, and call Flush at the end",
				Experiment: "run it with output to /dev/null"},
			{Rank: 2, Name: "serial-phase", Level: explain.TraceLevel, Claim: "From 492 ms on one goroutine works.",
				Where: []string{"elsewhere.go:7"}, Share: 0.004, Confidence: explain.Low},
		},
		CPUTime: explain.CPUTime{Source: "the CPU profile", CPUs: 2, Wall: 812 * ms, Entries: []explain.Entry{
			{Name: explain.UserCode, Time: 400 * ms, Share: 0.246},
			{Name: explain.SystemCalls, Time: 700 * ms, Share: 0.431},
			{Name: explain.Idle, Time: 524 * ms, Share: 0.323}}},
		Parallelism: explain.Parallelism{CPUs: 2, Running: 1.5, Demand: 7, SerialFraction: 0.4, MaxSpeedup: 2.5,
			Speedup: 1.43, Inflation: math.NaN()},
		Phases: []explain.Phase{{From: 0, To: 82 * ms, Demand: 1, Running: 1},
			{From: 82 * ms, To: 492 * ms, Demand: 11.2, Running: 2}},
		Notes: []string{"other processes used 0.3 CPUs: run it again on an idle machine"},
	}
	return r, e
}

func TestExplanationGoldens(t *testing.T) {
	r, e := slow()
	over := []string{"CPU profile 1.02x", "trace 1.10x"}
	for name, st := range map[string]Style{
		"explain-unicode-80.txt": {Width: 80, Unicode: true}, "explain-unicode-120.txt": {Width: 120, Unicode: true},
		"explain-ascii-60.txt": {Width: 60}, "explain-color.txt": {Width: 80, Unicode: true, Color: true},
		"explain-full-100.txt": {Width: 100, Unicode: true, Full: true},
	} {
		var b bytes.Buffer
		if err := Explanation(&b, r, e, over, st); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
	}

	none := explain.Finding{Rank: 1, Name: explain.None, Level: explain.ProfileLevel, Claim: "Nothing was found that " +
		"limits it.", Confidence: explain.Medium, Evidence: []string{"it used 0.98 of 2 CPUs"},
		Fix: "Leave it as it is."}
	var b bytes.Buffer
	if err := Explanation(&b, explain.Report{Findings: []explain.Finding{none}},
		&evidence.Evidence{Program: evidence.Program{Name: "p"}}, nil, Style{Width: 80}); err != nil {
		t.Fatal(err)
	}
	golden(t, "explain-none.txt", b.Bytes())
}

// TestDefectsHaveSection checks that defects have a section of their own, before the findings that cost time.
func TestDefectsHaveSection(t *testing.T) {
	leak := explain.Finding{Rank: 1, Name: explain.GoroutineLeak, Confidence: explain.High, Claim: "They never end."}
	lock := explain.Finding{Rank: 2, Name: explain.CoarseLock, Confidence: explain.High, Claim: "It is held."}
	for want, found := range map[string][]explain.Finding{
		`(?s)\ncorrectness\n1 goroutine-leak.*\nperformance\n2 coarse-lock.*\nFix goroutine-leak: it is a bug`: {leak, lock},
		`^explain, p\n\ncorrectness\n1 goroutine-leak\n`:                                                       {leak},
		`^explain, p\n\n2 coarse-lock\n`:                                                                       {lock},
	} {
		var b strings.Builder
		e := &evidence.Evidence{Program: evidence.Program{Name: "p"}}
		if err := Explanation(&b, explain.Report{Findings: found}, e, nil, Style{Width: 80}); err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(want).MatchString(b.String()) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
}

// A finding has at most five lines, and none is wider than the page, which has at most 24 lines if it has room for the
// first. All findings are in the list, and the answer is last.
func TestExplanationIsBrief(t *testing.T) {
	r, e := slow()
	long := strings.Repeat("exceedingly long words ", 9)
	for i := range 6 {
		f := r.Findings[0]
		f.Rank, f.Name = 3+i, explain.OSOversubscription
		f.Where, f.Functions = []string{"internal/" + strings.Repeat("deep/", 20) + "file.go:1234"}, []string{long}
		f.Claim, f.Evidence, f.Fix, f.Experiment = long, []string{long, long}, long, long
		r.Findings = append(r.Findings, f)
	}
	for _, width := range []int{40, 60, 80, 120} {
		var b bytes.Buffer
		if err := Explanation(&b, r, e, nil, Style{Width: width}); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		for _, l := range lines {
			if len(l) > width {
				t.Errorf("%d columns: %s", width, l)
			}
		}
		parts := strings.Split(b.String(), "\n\n")
		n := len(parts)
		if n < 6 || !strings.Contains(strings.Join(strings.Fields(parts[n-4]), " "), "the list below; -v prints all") {
			t.Fatalf("%d parts in\n%s", n, b.String())
		}
		for _, p := range parts[1 : n-4] {
			if n := strings.Count(strings.TrimSpace(p), "\n") + 1; n > 5 {
				t.Errorf("%d columns: %d lines in\n%s", width, n, p)
			}
		}
		summary, answer := parts[n-2], parts[n-1]
		if strings.Count(summary, "\n")+1 != len(r.Findings) ||
			!strings.HasPrefix(answer, "Change unbuffered-io first, at") && width > 40 || len(lines) > 24 && n > 6 ||
			width >= 80 && len(lines) > 24 {
			t.Errorf("%d columns, %d lines: the page ends in\n%s\n\n%s", width, len(lines), summary, answer)
		}
		both := r // there is room for both
		both.Findings = r.Findings[:2]
		b.Reset()
		err := Explanation(&b, both, e, nil, Style{Width: 120})
		if err != nil || !strings.Contains(b.String(), "one goroutine works") {
			t.Errorf("%v, not two findings in\n%s", err, b.String())
		}
	}
}

// TestUnknownCPUs: if the number of CPUs is unknown, the breakdown names the CPU time, and the JSON has null.
func TestUnknownCPUs(t *testing.T) {
	r, e := slow()
	r.CPUTime.CPUs, r.Parallelism.CPUs = 0, 0
	var page, lines bytes.Buffer
	err := errors.Join(Explanation(&page, r, e, nil, Style{Width: 100, Full: true}), ExplanationJSON(&lines, r, e))
	if want := "1.62s of CPU time in 812ms (CPUs unknown), by the CPU profile"; err != nil ||
		!strings.Contains(page.String(), want) {
		t.Errorf("%v, no %q in\n%s", err, want, page.String())
	}
	v, err := schematest.New()
	if err == nil {
		err = v.Output(lines.Bytes())
	}
	if n := strings.Count(lines.String(), `"cpus":null`); err != nil || n != 2 {
		t.Errorf("%v, null in %d records of\n%s", err, n, lines.String())
	}
}

// The answer is the last line of the JSON.
func TestExplanationJSONAnswer(t *testing.T) {
	r, e := slow()
	var b bytes.Buffer
	if err := ExplanationJSON(&b, r, e); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	const want = `{"kind":"answer","schema_version":1,"text":["Change unbuffered-io first, at cmd/draw.go:31 in ` +
		`(*Canvas).Draw: that should save about 58% of the wall time (55% to 61%).",`
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, want) {
		t.Errorf("last is %s", last)
	}
}
