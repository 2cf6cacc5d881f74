package parse

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual"
	"github.com/brewput/brewput/internal/seeded"
	"github.com/brewput/brewput/internal/workloadtest"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/trial"
)

func TestMain(m *testing.M) {
	trial.Main(Workload())
	seeded.Fix()
	os.Exit(m.Run())
}

func point(dates, run, formats int) plan.Point {
	return plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)},
		plan.Setting{Factor: "dates", Level: plan.IntLevel(dates)},
		plan.Setting{Factor: "run", Level: plan.IntLevel(run)},
		plan.Setting{Factor: "formats", Level: plan.IntLevel(formats)})
}

// TestDesigns checks that every design reads all dates, live and in virtual time.
func TestDesigns(t *testing.T) {
	w := Workload()
	if err := w.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, d := range w.Designs {
		for _, p := range []plan.Point{point(3000, 1, 8), point(3000, 50, 8), point(999, 7, 3), point(500, 10, 1),
			point(1, 1, 8)} {
			o := workloadtest.Live(t, w, d, p)
			if !o.Trial.Good() {
				t.Fatalf("%s at %s: %s %s", d.Name, p, o.Trial.Status, o.Trial.Error)
			}
			v := workloadtest.Virtual(w, d, p, 1, sim.Costs{})
			if !v.Good() || text(v.Answer) != text(o.Trial.Answer) {
				t.Errorf("%s at %s: %v in virtual time, %v live", d.Name, p, v.Answer, o.Trial.Answer)
			}
		}
	}
}

func text(answer any) string {
	b, err := json.Marshal(answer)
	return fmt.Sprint(string(b), err)
}

// TestVain checks the number of failed attempts.
func TestVain(t *testing.T) {
	for _, run := range []int{1, 3, 100} {
		in := newInput(2000, run, 8)
		plain, late, last := 0, 0, 0
		try := func(n *int, format, text string) bool {
			_, err := time.Parse(format, text)
			if err != nil {
				*n++
			}
			return err == nil
		}
		for _, text := range in.dates {
			for _, f := range in.formats {
				if try(&plain, f, text) {
					break
				}
			}
			if try(&late, in.formats[last], text) {
				continue
			}
			for i, f := range in.formats {
				if i != last && try(&late, f, text) {
					last = i
					break
				}
			}
		}
		if plain != inVain(in) || late != vainCached(in) {
			t.Errorf("run %d: %d and %d attempts in vain, said to be %d and %d", run, plain, late, inVain(in),
				vainCached(in))
		}
	}
}

// TestDesignsAgree checks that designs agree on random texts and on texts that nearly fit a format.
func TestDesignsAgree(t *testing.T) {
	piece := rapid.SampledFrom([]string{"2006", "01", "1", "2", "02", "31", "29", "99", "0", "-", "/", ".", ",", " ",
		"  ", "Jan", "January", "MAY", "may", "Feb", "Monday", "monday", "+", "T", "é", ""})
	rapid.Check(t, func(t *rapid.T) {
		in := &input{formats: formats()[:rapid.IntRange(1, 8).Draw(t, "formats")]}
		for range rapid.IntRange(0, 20).Draw(t, "n") {
			text := strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "pieces"), "")
			if rapid.Bool().Draw(t, "date") {
				day := time.Unix(rapid.Int64Range(-1<<36, 1<<36).Draw(t, "day"), 0).UTC()
				text = day.Format(rapid.SampledFrom(formats()).Draw(t, "format"))
				at := rapid.IntRange(0, len(text)).Draw(t, "at")
				text = text[:at] + rapid.SampledFrom([]string{"", "", "0", " ", "-", "x"}).Draw(t, "spoilt") + text[at:]
			}
			in.dates = append(in.dates, text)
		}
		agree(t, in)
	})
}

func agree(t interface{ Errorf(string, ...any) }, in *input) {
	if a, b, c := labelled(in), helped(in), cached(in); a != b || a != c {
		t.Errorf("%q: continue %v, helper %v, cached %v", in.dates, a, b, c)
	}
}

func FuzzDesigns(f *testing.F) {
	f.Add("2006-01-02\n2 January 2006\n20060102\n1 May 2006\nMonday, 02-Jan-06")
	f.Fuzz(func(t *testing.T, text string) {
		agree(t, &input{formats: formats(), dates: strings.Split(text, "\n")})
	})
}

// TestTheCheckFindsWrongAnswers covers an additional date, a missing one, and a different day.
func TestTheCheckFindsWrongAnswers(t *testing.T) {
	for i, spoil := range []func(*tally){func(x *tally) { x.read++ }, func(x *tally) { x.days-- }, func(*tally) {}} {
		j := job(point(100, 1, 8), func(in *input) tally {
			x := helped(in)
			spoil(&x)
			return x
		}, inVain)
		virtual.New(virtual.Config{}).Run("job", func(e env.Env) { j.Run(e) })
		if _, err := j.Check(); (err == nil) != (i == 2) {
			t.Errorf("case %d: %v", i, err)
		}
	}
}
