package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/brewput/brewput/catalog"
	"github.com/brewput/brewput/catalog/mandelbrot"
	"github.com/brewput/brewput/catalog/sort"
	"github.com/brewput/brewput/catalog/sum"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/env/virtual"
	"github.com/brewput/brewput/internal/seeded"
	"github.com/brewput/brewput/internal/workloadtest"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/workload"
)

func TestMain(m *testing.M) {
	lab.Main(catalog.All()...) // runs the trials of TestFindings -update
	seeded.Fix()
	m.Run()
}

// hard are levels of factors at the limits: one item, more workers than items, no buffer, all items equal.
var hard = map[string]map[string][]string{
	"mandelbrot": {
		"size": {"1", "2", "3", "7", "16", "33"}, "iterations": {"0", "1", "2", "17", "200"},
		"view": {"-0.5", "-0.7436+0.1318i", "0.25", "0.5i", "-2", "2+2i"},
		"zoom": {"0.01", "1", "1000", "1e15"}, "file": {"standard", "none"}, "colour": {"gray", "rgb"},
		"grain": {"1", "5", "64", "100000"}, "tile": {"1", "4", "100"},
		"buffer": {"0", "3"}, "rows": {"1", "2", "5", "100"}, "level": {"1", "5", "9"},
	},
	"sort": {
		"n": {"0", "1", "2", "3", "64", "257"}, "given": {"random", "sorted", "reversed", "equal"},
		"rounds": {"1", "2"}, "chunks": {"1", "2", "3", "7", "64", "300"},
	},
	"sum": {"n": {"1", "2", "7", "8", "9", "1000"}, "total": {"1", "100", "3000"}},
}

// TestDesignsAgree checks at random points that every design of a job, in both worlds, has the answer of the first, and
// that its check accepts it.
func TestDesignsAgree(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, w := range []*workload.Workload{mandelbrot.Workload(), sort.Workload(), sum.Workload()} {
		for _, d := range w.Designs[1:] {
			t.Run(w.Name+"/"+d.Name, func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) {
					var settings []string
					for _, f := range w.Factors {
						if levels := hard[w.Name][f.Name]; levels != nil {
							settings = append(settings, f.Name+"="+rapid.SampledFrom(levels).Draw(t, f.Name))
						}
					}
					workers := rapid.SampledFrom([]string{"1", "2", "5", "16"}).Draw(t, "workers")
					settings = append(settings, "workers="+workers)
					agree(t, w, d, settings)
				})
			})
		}
	}
}

func agree(t *rapid.T, w *workload.Workload, d workload.Design, settings []string) {
	seed := rapid.Uint64().Draw(t, "seed")
	worlds := map[string]func(string, func(env.Env)) error{
		"live":    live.New(live.Config{Seed: seed}).Run,
		"virtual": virtual.New(virtual.Config{Seed: seed, CPUs: 2, Costs: sim.Costs{}}).Run,
	}
	first := w.Designs[0]
	want, err := workloadtest.Answer(t, live.New(live.Config{Seed: seed}).Run, first,
		workloadtest.Point(t, w, settings...).Only(w.FactorsOf(first)))
	if err != nil {
		t.Fatal(first.Name, settings, err)
	}
	for name, run := range worlds {
		got, err := workloadtest.Answer(t, run, d, workloadtest.Point(t, w, settings...).Only(w.FactorsOf(d)))
		if err != nil {
			t.Fatal(name, d.Name, settings, err)
		}
		for _, key := range []string{"pixels", "sum", "numbers"} {
			if has := got[key]; has != nil && fmt.Sprint(has) != fmt.Sprint(want[key]) {
				t.Fatal(name, d.Name, settings, ": the", key, "are", has, "and those of", first.Name, want[key])
			}
		}
	}
}

// TestWrongPictures checks that an invalid view is refused, and so is save without a file.
func TestWrongPictures(t *testing.T) {
	w := mandelbrot.Workload()
	for settings, says := range map[string]string{
		"view=seahorse":        "not a point near the set",
		"view=3":               "not a point near the set",
		"view=NaN":             "not a point near the set",
		"file=none save=a.png": "save needs a file, and file none writes none",
	} {
		if err := w.Check(workloadtest.Point(t, w, settings)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", settings, err)
		}
	}
	if err := w.Check(workloadtest.Point(t, w, "view=-0.7436+0.1318i")); err != nil {
		t.Error(err)
	}
}

// TestDeclarations checks that the declaration of every workload is valid.
func TestDeclarations(t *testing.T) {
	for _, w := range catalog.All() {
		if err := w.Validate(); err != nil {
			t.Error(err)
		}
	}
}
