package report

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// listed are workloads with long and short texts.
func listed() []*workload.Workload {
	job := func(name, doc string) workload.Design { return workload.Design{Name: name, Doc: doc} }
	live := job("live", "reads real files with a sentence that is much too long for the rest of the line")
	live.Worlds, live.Reference = workload.LiveOnly, true
	return []*workload.Workload{
		{Name: "coffee",
			Doc: "A coffee shop: grind, press and steam on exclusive machines, then make the latte.\nMore.",
			Factors: []plan.Factor{{Name: "buffer", Kind: plan.Int, Default: "1", Doc: "buffer size of each channel " +
				"of a pipe, which is said at such a length that it needs a second line"}},
			Designs: []workload.Design{job("simple", "one lock"), live}},
		{Name: "tea", Doc: "Pour.", Designs: []workload.Design{job("pot", "a pot")}},
		{Name: "words", Doc: "Count all words of a rather long text that somebody wrote without any comma in its " +
			"first sentence.", Designs: []workload.Design{job("one", "one")}},
	}
}

// TestWorkloads: each workload has one line if a clause fits it, no line is longer than the page, no text is cut within
// a clause, and the last line says how to go on.
func TestWorkloads(t *testing.T) {
	for _, width := range []int{60, 80, 200} {
		var b bytes.Buffer
		if err := Workloads(&b, "brewput", listed(), Style{Width: width, Unicode: true}); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		if want := map[int]int{60: 2 + 5 + 3, 80: 2 + 4 + 2, 200: 2 + 3 + 2}[width]; len(lines) != want {
			t.Errorf("%d lines, want %d:\n%s", len(lines), want, b.String())
		}
		for _, line := range lines {
			if utf8.RuneCountInString(line) > width {
				t.Errorf("more than %d columns: %q", width, line)
			}
		}
		page := strings.Join(strings.Fields(b.String()), " ")
		if !strings.HasSuffix(page, " without any comma in its first sentence Type brewput list coffee for the "+
			"designs and factors of a workload.") {
			t.Errorf("the page is %s", page)
		}
		want := map[int]string{60: "coffee          2  A coffee shop", // 41 columns are left
			80:  "coffee          2  A coffee shop: grind, press and steam on exclusive machines",
			200: "coffee          2  A coffee shop: grind, press and steam on exclusive machines, then make the latte"}
		if lines[2] != want[width] {
			t.Errorf("width %d: got %q, want %q", width, lines[2], want[width])
		}
	}
}

// TestWorkload: no text is cut, whatever the width, and a continued text begins below itself.
func TestWorkload(t *testing.T) {
	for _, width := range []int{40, 80, 120} {
		var b bytes.Buffer
		if err := Workload(&b, listed()[0], Style{Width: width}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if line = strings.TrimSuffix(line, "\n"); len(line) > width || strings.HasSuffix(line, " ") {
				t.Errorf("width %d: %q", width, line)
			}
		}
		words := strings.Join(strings.Fields(b.String()), " ")
		for _, want := range []string{"then make the latte.", "for the rest of the line (reference, live only)",
			"at such a length that it needs a second line"} {
			if !strings.Contains(words, want) {
				t.Errorf("width %d: no %q:\n%s", width, want, b.String())
			}
		}
	}
	var b bytes.Buffer
	if err := Workload(&b, listed()[0], Style{Width: 80}); err != nil {
		t.Fatal(err)
	}
	if want := "\n--buffer  whole"; !strings.Contains(b.String(), want) {
		t.Errorf("no %q in\n%s", want, b.String())
	}
}

// TestFactorsOfJobs checks that a workload of jobs lists no factors that only streams use.
func TestFactorsOfJobs(t *testing.T) {
	job := workload.Design{Name: "a",
		Job: func(env.Env, plan.Point) (workload.Job, error) { return workload.Job{}, nil }}
	names := func(list []plan.Factor) (text string) {
		for _, f := range list {
			text += f.Name + " "
		}
		return text
	}
	x := &workload.Workload{Designs: []workload.Design{job}, Factors: []plan.Factor{{Name: "size"}}}
	if got := names(listedFactors(x)); got != "cpus size " {
		t.Errorf("of a job: %s", got)
	}
	x.Designs = append(x.Designs, workload.Design{Name: "b",
		Stream: func(env.Env, plan.Point) (workload.Stream, error) { return workload.Stream{}, nil }})
	if got := names(listedFactors(x)); !strings.Contains(got, "workers rate ") {
		t.Errorf("of a stream: %s", got)
	}
}

// TestShortSummary checks that a summary is cut only after a clause: not inside an address, nor to a label.
func TestShortSummary(t *testing.T) {
	for text, want := range map[string]string{
		"Count the words of a file; then sort them by count.":    "Count the words of a file",
		"Serve the addresses host:port of a list of machines.":   "Serve the addresses host:port of a list of machines",
		"Log: append entries to a file that survives a crash.":   "Log: append entries to a file that survives a crash",
		"Aggregate equal numbers from one channel: a and b.":     "Aggregate equal numbers from one channel",
		"Aggregate numbers: one producer, one consumer, no lock": "Aggregate numbers",
		"Issue identities by several servers, through crashes.":  "Issue identities by several servers",
		"Count words: read them; then sort them by count.":       "Count words: read them",
		"A short one.": "A short one",
	} {
		if got := shortSummary(text, 40); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
