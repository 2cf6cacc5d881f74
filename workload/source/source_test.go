package source_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/brewput/brewput/catalog"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
	"github.com/brewput/brewput/workload/source"
)

func TestLines(t *testing.T) {
	const text = `// A comment.
func f() { // and one here

	/* one
	   more */
	s := ` + "`two\nlines`" + `
	g(s)
}
`
	if n := source.Lines([]byte(text)); n != 5 {
		t.Errorf("%d lines, want 5: func, two of the string, g, the brace", n)
	}
}

func TestOf(t *testing.T) {
	for _, w := range catalog.All() {
		if err := w.Validate(); err != nil {
			t.Error(err)
		}
		counted := source.Count(w)
		for _, d := range w.Designs {
			embedded, err := source.Read(w, d)
			if d.Absent() {
				if err == nil || !strings.Contains(err.Error(), "brewput-extra") {
					t.Errorf("%s/%s runs in another program, but has a source here: %v", w.Name, d.Name, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s/%s: %v", w.Name, d.Name, err)
				continue
			}
			// The embedded copy and the files from which it was compiled must give the same.
			onDisk := *w
			onDisk.Source = nil
			disk, err := source.Read(&onDisk, d)
			if err != nil || disk.Lines != embedded.Lines || disk.Lines == 0 {
				t.Errorf("%s/%s: %d lines embedded, %d on disk (%v)", w.Name, d.Name, embedded.Lines, disk.Lines, err)
			}
			n := counted[d.Name]
			if d.Remote {
				if n != nil {
					t.Errorf("%s/%s: the lines of a client count", w.Name, d.Name)
				}
				continue
			}
			if n == nil || *n != embedded.Lines {
				t.Errorf("%s/%s: Count has not its %d lines", w.Name, d.Name, embedded.Lines)
			}
		}
	}
}

// TestLinesAreOfTheDesignAlone checks that files without a constructor do not count, because they serve all
// designs.
func TestLinesAreOfTheDesignAlone(t *testing.T) {
	w := catalog.All()[0]
	d, _ := w.Find("finelocking")
	src, err := source.Read(w, d)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, p := range src.Parts {
		text.WriteString(p.Text + "\n")
	}
	for _, has := range []string{"func newFineLocking(", "lockSteam(", "type counter struct", "func newCounter("} {
		if !strings.Contains(text.String(), has) {
			t.Errorf("finelocking lacks %q", has)
		}
	}
	for _, not := range []string{"newAmericano", "blackCoffee", "func newShop", "type order", "newMulti"} {
		if strings.Contains(text.String(), not) {
			t.Errorf("finelocking holds %q", not)
		}
	}
	if got, want := source.Lines([]byte(text.String())), src.Lines; got != want {
		t.Errorf("%d lines in its parts, %d counted", got, want)
	}
	if !strings.HasPrefix(src.Parts[0].Text, "// newFineLocking") {
		t.Errorf("the constructor is not first but\n%s", src.Parts[0].Text)
	}
}

func newFirst(env.Env, plan.Point) (workload.Job, error)  { return workload.Job{}, nil }
func newSecond(env.Env, plan.Point) (workload.Job, error) { return workload.Job{}, nil }

// A method counts for the designs that use its type, if they call it, or if shared code or another package may call it
// through an interface.
func TestMethods(t *testing.T) {
	w := &workload.Workload{Name: "w", Designs: []workload.Design{{Name: "first", Job: newFirst},
		{Name: "second", Job: newSecond}},
		Source: fstest.MapFS{
			"job.go": {Data: []byte(`package w
type log interface{ Append() }
type input struct{}
func job(l log) { l.Append() }
`)},
			"first.go": {Data: []byte(`package w
func newFirst() { job(&first{}) }
type first struct{}
func (f *first) Append() { f.lock() }
func (f *first) lock() {}
func (f *first) Len() int { return 0 }
func (f *first) size() int { return 0 }
func other(f *first) int { return f.size() }
func (in *input) scan() {}
`)},
			"second.go": {Data: []byte(`package w
func newSecond() { job(second{}); new(input).scan() }
type second struct{}
func (second) Append() {}
func (second) lock() {}
func (second) unused() { second{}.lock() }
`)},
		}}
	for design, want := range map[string]struct{ has, not []string }{
		"first": {[]string{"*first) Append", "*first) lock", "*first) Len"},
			[]string{"size", "other", "scan", "second"}},
		"second": {[]string{"second) Append", "input) scan"}, []string{"first"}},
	} {
		d, _ := w.Find(design)
		src, err := source.Read(w, d)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for _, p := range src.Parts {
			text.WriteString(p.Text + "\n")
		}
		for _, has := range want.has {
			if !strings.Contains(text.String(), has) {
				t.Errorf("%s lacks %q:\n%s", design, has, text.String())
			}
		}
		for _, not := range want.not {
			if strings.Contains(text.String(), not) {
				t.Errorf("%s holds %q:\n%s", design, not, text.String())
			}
		}
	}
}
