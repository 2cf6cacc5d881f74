package plan_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/brewput/brewput/internal/seeded"
	"github.com/brewput/brewput/plan"
)

func TestMain(m *testing.M) {
	seeded.Fix()
	m.Run()
}

func TestValidate(t *testing.T) {
	for _, f := range []plan.Factor{
		{Name: "cpus", Doc: "CPUs", Kind: plan.Int, Default: "all", Min: 1},
		{Name: "workers", Kind: plan.Int, Default: "cpus", Min: 1},
		{Name: "queue-limit", Kind: plan.Int},
		{Name: "stage", Kind: plan.Duration, Default: "1ms"},
		{Name: "load", Kind: plan.Float, Default: "0.4..1.1:+0.1", Max: 2},
		{Name: "dist", Kind: plan.Text, Default: "uniform", Words: []string{"uniform", "exponential"}},
		{Name: "file", Kind: plan.Text, Default: "a.txt"},
	} {
		if err := f.Validate(); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
	for _, c := range []struct {
		factor plan.Factor
		want   string
	}{
		{plan.Factor{}, "name"},
		{plan.Factor{Name: "Stage"}, "lower-case"},
		{plan.Factor{Name: "2nd"}, "lower-case"},
		{plan.Factor{Name: "a=b"}, "lower-case"},
		{plan.Factor{Name: "a", Kind: plan.Text + 1}, "unknown kind"},
		{plan.Factor{Name: "a", Doc: "A sentence."}, "full stop"},
		{plan.Factor{Name: "a", Doc: "two\nlines"}, "one line"},
		{plan.Factor{Name: "a", Default: "1.5"}, `default "1.5"`},
		{plan.Factor{Name: "a", Default: "0", Min: 1}, "out of range"},
		{plan.Factor{Name: "a", Min: 3, Max: 2}, "Max 2 is below Min 3"},
		{plan.Factor{Name: "a", Min: math.NaN()}, "not finite"},
		{plan.Factor{Name: "a", Words: []string{"x"}}, "Words"},
		{plan.Factor{Name: "a", Kind: plan.Duration, Min: -1}, "negative duration"},
		{plan.Factor{Name: "a", Kind: plan.Duration, Default: "-1ms"}, "negative duration"},
		{plan.Factor{Name: "a", Kind: plan.Text, Max: 1}, "no Min and Max"},
		{plan.Factor{Name: "a", Kind: plan.Text, Words: []string{"x", "y", "x"}}, "twice"},
		{plan.Factor{Name: "a", Kind: plan.Text, Words: []string{"x y"}}, "not a word"},
		{plan.Factor{Name: "a", Path: true}, "a path is a word"},
		{plan.Factor{Name: "a", Kind: plan.Text, Words: []string{"x"}, Path: true}, "a path is a word"},
		{plan.Factor{Name: "a", Kind: plan.Text, Words: []string{"x"}, Default: "z"}, "not one of x"},
	} {
		if err := c.factor.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v; want %q", c.factor, err, c.want)
		}
	}
}

func TestRecast(t *testing.T) {
	ms := plan.DurationLevel(time.Millisecond)
	for _, c := range []struct {
		factor   plan.Factor
		in, want plan.Level
	}{
		{load, plan.IntLevel(2), plan.FloatLevel(2)},
		{load, plan.FloatLevel(0.5), plan.FloatLevel(0.5)},
		{workers, plan.FloatLevel(1000), plan.IntLevel(1000)},
		{stage, plan.TextLevel("1000us"), ms},
		{stage, plan.IntLevel(0), plan.DurationLevel(0)},
		{file, ms, plan.TextLevel("1ms")},
		{dist, plan.TextLevel("uniform"), plan.TextLevel("uniform")},
	} {
		if got, err := c.factor.Recast(c.in); err != nil || got != c.want {
			t.Errorf("%s: Recast(%v) = %v, %v; want %v", c.factor.Name, c.in, got, err, c.want)
		}
	}
	for _, c := range []struct {
		factor plan.Factor
		in     plan.Level
		want   string
	}{
		{workers, plan.FloatLevel(1.5), "1.5 is a number, not a whole number"},
		{workers, plan.FloatLevel(1e300), "not a whole number"},
		{workers, plan.TextLevel("4"), "4 is a word"},
		{workers, plan.IntLevel(0), "out of range"},
		{load, plan.FloatLevel(math.Inf(1)), "not finite"},
		{stage, plan.IntLevel(5), "5 is a whole number, not a duration"},
		{stage, plan.TextLevel("soon"), "not a duration"},
		{stage, plan.DurationLevel(-1), "negative duration"},
		{dist, plan.TextLevel("normal"), "not one of"},
		{file, plan.IntLevel(5), "not a word"},
	} {
		_, err := c.factor.Recast(c.in)
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), "factor "+c.factor.Name) {
			t.Errorf("%s: Recast(%v): %v; want %q", c.factor.Name, c.in, err, c.want)
		}
	}
}

// A point read from JSON has the same text, and after Recast the same kinds.
func TestPointJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var settings []plan.Setting
		kinds := rapid.SliceOfN(rapid.IntRange(int(plan.Int), int(plan.Text)), 0, 6).Draw(t, "kinds")
		for i, k := range kinds {
			name := "f" + string(rune('a'+i))
			settings = append(settings, plan.Setting{Factor: name, Level: anyLevel(plan.Kind(k)).Draw(t, name)})
		}
		want := plan.NewPoint(settings...)
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got plan.Point
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Fatalf("%s became %s", want, got)
		}
		for i, s := range got.Settings() {
			l, err := anyFactor(plan.Kind(kinds[i])).Recast(s.Level)
			if err != nil || l != settings[i].Level {
				t.Fatalf("%s: %v became %v, %v", data, settings[i].Level, l, err)
			}
		}
	})
}

// It covers texts that look like another kind, and numbers that JSON and strconv write differently.
func TestPointJSONCorners(t *testing.T) {
	for _, l := range []plan.Level{plan.TextLevel("1000ms"), plan.TextLevel("0"), plan.TextLevel("1m"),
		plan.TextLevel("5"),
		plan.FloatLevel(1e6), plan.FloatLevel(1 << 55), plan.FloatLevel(1e20), plan.FloatLevel(1e21),
		plan.FloatLevel(1e-7), plan.FloatLevel(2),
		plan.DurationLevel(time.Hour), plan.DurationLevel(500 * time.Nanosecond)} {
		p := plan.NewPoint(plan.Setting{Factor: "f", Level: l})
		data, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var got plan.Point
		if err := json.Unmarshal(data, &got); err != nil || got.String() != p.String() {
			t.Errorf("%s became %s, %v", p, got, err)
		}
		back, _ := got.Get("f")
		if r, err := anyFactor(l.Kind()).Recast(back); err != nil || r != l {
			t.Errorf("%v was recast to %v, %v", l, r, err)
		}
	}
}

func TestSuggest(t *testing.T) {
	known := []string{"cpus", "workers", "stage", "steam", "buffer", "machines"}
	for word, want := range map[string]string{
		"cpu": "cpus", "CPUs": "cpus", "worker": "workers", "wrokers": "workers", "wokrres": "workers",
		"stgae": "stage",
		"bufer": "buffer", "machine": "machines", "stem": "steam",
		"x": "", "grinder": "", "": "", "zebra": "", "mahcinse": "machines", "mxxxines": "",
	} {
		if got := plan.Suggest(word, known); got != want {
			t.Errorf("Suggest(%q) = %q, want %q", word, got, want)
		}
	}
	// A swap of adjacent letters counts as one edit.
	if got := plan.Suggest("ba", []string{"bc", "ab"}); got != "bc" {
		t.Errorf("of two equally near, the first is meant, not %q", got)
	}
	if got := plan.Suggest("abdc", []string{"abxx", "abcd"}); got != "abcd" {
		t.Errorf("got %q", got)
	}
}

// TestPath checks that a path may contain spaces and may have the name of another factor.
func TestPath(t *testing.T) {
	f := plan.Factor{Name: "file", Kind: plan.Text, Path: true}
	c, err := f.Parse("cpus", []string{"cpus"})
	if err != nil || c.Follow != "" || len(c.Levels) != 1 || c.Levels[0].String() != "cpus" {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err = f.Parse("/my documents/a b.txt,c", nil); err != nil || len(c.Levels) != 2 ||
		c.Levels[0].String() != "/my documents/a b.txt" {
		t.Errorf("%+v, %v", c, err)
	}
	for _, bad := range []string{"", "a\nb", "a\x00b", "a\xff"} {
		if _, err := f.Parse(bad, nil); err == nil {
			t.Errorf("%q is taken for a path", bad)
		}
	}
}
