package plan_test

import (
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/brewput/brewput/plan"
)

var (
	workers = plan.Factor{Name: "workers", Kind: plan.Int, Min: 1, Max: 1 << 40}
	stage   = plan.Factor{Name: "stage", Kind: plan.Duration}
	load    = plan.Factor{Name: "load", Kind: plan.Float}
	offset  = plan.Factor{Name: "offset", Kind: plan.Float, Min: -10, Max: 10}
	dist    = plan.Factor{Name: "dist", Kind: plan.Text, Words: []string{"uniform", "exponential", "cpus"}}
	file    = plan.Factor{Name: "file", Kind: plan.Text}
)

// typed returns the levels as a user would type them.
func typed(levels []plan.Level) string {
	words := make([]string, len(levels))
	for i, l := range levels {
		words[i] = l.String()
	}
	return strings.Join(words, ",")
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		factor plan.Factor
		expr   string
		want   string
	}{
		{workers, "4", "4"},
		{workers, "1,2,4", "1,2,4"},
		{workers, " 4, 2 ,4", "4,2"},
		{workers, "1..6", "1,2,3,4,5,6"},
		{workers, "3..3", "3"},
		{workers, "1..10:+4", "1,5,9"},
		{workers, "1..9:+4", "1,5,9"},
		{workers, "1..1024:x2", "1,2,4,8,16,32,64,128,256,512,1024"},
		{workers, "1..1000:x10", "1,10,100,1000"},
		{workers, "1..10:x1.5", "1,2,3,5,8"}, // 1 1.5 2.25 3.375 5.0625 7.59
		{workers, "100..121:x1.1", "100,110,121"},
		{workers, "8,1..3,2..4", "8,1,2,3,4"},
		{stage, "0", "0s"},
		{stage, "1ms,1000us,1m,2h", "1ms,1m,2h"},
		{stage, "0ms..2ms:+500us", "0s,500us,1ms,1.5ms,2ms"},
		{stage, "0..2ms:+1ms", "0s,1ms,2ms"},
		{stage, "1ms..100ms:x10", "1ms,10ms,100ms"},
		{stage, "1ns..4ns:x1.5", "1ns,2ns,3ns"}, // 1 1.5 2.25 3.375
		{load, "0.4..1.1:+0.1", "0.4,0.5,0.6,0.7,0.8,0.9,1,1.1"},
		{load, "0.1..0.3:+0.1", "0.1,0.2,0.3"},
		{load, "0.001..1000:x10", "0.001,0.01,0.1,1,10,100,1000"},
		{load, "1e6,2.50,.5,5.", "1000000,2.5,0.5,5"},
		{load, "1e-300..1e300:x1e100", "1e-300,1e-200,1e-100,1,1e+100,1e+200,1e+300"},
		{offset, "-0.3..0.3:+0.1", "-0.3,-0.2,-0.1,0,0.1,0.2,0.3"},
		{dist, "uniform,exponential", "uniform,exponential"},
		{dist, "cpus", "cpus"}, // its own word rather than the factor
		{file, "../a.txt,1..2", "../a.txt,1..2"},
	} {
		got, err := c.factor.Parse(c.expr, []string{"cpus"})
		if err != nil || typed(got.Levels) != c.want || got.Follow != "" {
			t.Errorf("Parse(%q) = %s, follow %q, %v; want %s", c.expr, typed(got.Levels), got.Follow, err, c.want)
		}
		for _, l := range got.Levels {
			if l.Kind() != c.factor.Kind {
				t.Errorf("Parse(%q): the level %v is a %v", c.expr, l, l.Kind())
			}
		}
	}
}

// The levels of a decimal range are exactly the float64 values of their texts, not sums.
func TestParseDecimalsAreExact(t *testing.T) {
	c, err := load.Parse("0..1:+0.01", nil)
	if err != nil || len(c.Levels) != 101 {
		t.Fatalf("%d levels, %v", len(c.Levels), err)
	}
	for i, l := range c.Levels {
		if x, _ := l.Number(); x != float64(i)/100 {
			t.Errorf("level %d is %v", i, x)
		}
	}
}

func TestParseFollow(t *testing.T) {
	for _, f := range []plan.Factor{workers, stage, load, file} {
		c, err := f.Parse(" cpus ", []string{"buffer", "cpus"})
		if err != nil || c.Follow != "cpus" || c.Levels != nil {
			t.Errorf("%s: %+v, %v", f.Name, c, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	capped := plan.Factor{Name: "share", Kind: plan.Float, Min: 0.25, Max: 0.5}
	short := plan.Factor{Name: "pause", Kind: plan.Duration, Min: 0.1, Max: 0.3}
	for _, c := range []struct {
		factor plan.Factor
		expr   string
		want   []string // the flag and the text are always wanted
	}{
		{workers, "", []string{"level is missing", "1..6"}},
		{workers, "1,,2", []string{"level is missing"}},
		{workers, "two2!", []string{`"two2!" is not a whole number`, "such as 1,2,4"}},
		{workers, "cpu", []string{"neither a whole number nor an earlier factor", "did you mean cpus?"}},
		{workers, "1,cpus", []string{"must be the only entry", "give cpus"}},
		{workers, "6..1", []string{"empty", "1..6"}},
		{workers, "1..", []string{"both ends"}},
		{workers, "1..6:+0", []string{":+0 must be above 0"}},
		{workers, "1..6:+-1", []string{":+-1 must be above 0"}},
		{workers, "1..6:+0.5", []string{"step :+0.5", "not a whole number"}},
		{workers, "1..6:x1", []string{":x1 must be above 1", ":x2"}},
		{workers, "1..6:xNaN", []string{":xNaN", "not finite"}},
		{workers, "1..6:2", []string{":2 is neither :+STEP", ":xFACTOR"}},
		{workers, "1..6:", []string{"neither"}},
		{workers, "0", []string{"0 is out of range", "1 to 1099511627776"}},
		{workers, "0..8:x2", []string{"start above 0", "0,1..1024:x2"}},
		{workers, "1..10001", []string{"more than 10000 levels"}},
		{workers, "1..6000,6001..12000", []string{"more than 10000 levels"}},
		{workers, "5,1..1000000000000", []string{"more than 10000"}},
		{workers, "99999999999999999999", []string{"too large", "at most 9223372036854775807"}},
		{stage, "5", []string{"5 has no unit", "5ms or 5s"}},
		{stage, "-1ms", []string{"negative duration -1ms", "0s or more"}},
		{stage, "3000000h", []string{"too long", "2562047h"}},
		{stage, "1lightyear", []string{"not a duration", "500us"}},
		{stage, "1ms..5ms", []string{"needs a step", "1ms..5ms:+STEP", "1ms..5ms:xFACTOR"}},
		{stage, "1ms..5ms:+1", []string{"step :+1", "no unit"}},
		{load, "0.1..0.5", []string{"needs a step", ":+STEP"}},
		{load, "NaN", []string{"not finite"}},
		{load, "1e999", []string{"not finite"}},
		{load, "0x1p2", []string{"not a number"}},
		{load, "1..2:x1.0000001", []string{"more than 10000"}},
		{load, "1..2:+1e-300", []string{"more than 10000"}},
		{load, "-0.5", []string{"-0.5 is out of range", "0 or more"}},
		{capped, "0.2", []string{"0.2 is out of range", "0.25 to 0.5"}},
		{capped, "0.3..0.6:+0.1", []string{"0.6 is out of range"}},
		{short, "300000001ns", []string{"out of range", "100ms to 300ms"}},
		{short, "99999999ns", []string{"out of range"}},
		{dist, "unifrom", []string{"not one of uniform, exponential, cpus", "did you mean uniform?"}},
		{file, "a b", []string{"not a word"}},
	} {
		got, err := c.factor.Parse(c.expr, []string{"cpus"})
		if err == nil {
			t.Errorf("Parse(%q) = %v, want an error", c.expr, typed(got.Levels))
			continue
		}
		for _, want := range append(c.want, c.factor.Name+" ", `"`+c.expr+`"`) {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("Parse(%q): %v; want %q in it", c.expr, err, want)
			}
		}
	}
}

// Limits are inclusive.
func TestParseLimits(t *testing.T) {
	f := plan.Factor{Name: "pause", Kind: plan.Duration, Min: 0.1, Max: 0.3}
	if c, err := f.Parse("100ms,300ms", nil); err != nil || len(c.Levels) != 2 {
		t.Error(c, err)
	}
	if c, err := workers.Parse("1..10000", nil); err != nil || len(c.Levels) != plan.MaxLevels {
		t.Error(len(c.Levels), err)
	}
	big := plan.Factor{Name: "n", Kind: plan.Int}
	if c, err := big.Parse("9223372036854775800..9223372036854775807:+5", nil); err != nil ||
		typed(c.Levels) != "9223372036854775800,9223372036854775805" {
		t.Error(typed(c.Levels), err)
	}
}

// anyLevel draws a level that the factors of TestPrintedLevelsParse permit.
func anyLevel(k plan.Kind) *rapid.Generator[plan.Level] {
	switch k {
	case plan.Int:
		return rapid.Map(rapid.Int(), plan.IntLevel)
	case plan.Duration:
		return rapid.Map(rapid.Int64Range(0, math.MaxInt64),
			func(n int64) plan.Level { return plan.DurationLevel(time.Duration(n)) })
	case plan.Float:
		return rapid.Map(rapid.Float64Range(-1e300, 1e300),
			func(x float64) plan.Level { return plan.FloatLevel(x + 0) })
	default:
		return rapid.Map(rapid.StringMatching(`[a-z0-9./=:_-]{1,8}`), plan.TextLevel)
	}
}

func anyFactor(k plan.Kind) plan.Factor {
	f := plan.Factor{Name: "f", Kind: k}
	if k == plan.Int || k == plan.Float {
		f.Min, f.Max = -math.MaxFloat64, math.MaxFloat64
	}
	return f
}

func TestPrintedLevelsParse(t *testing.T) {
	for k := plan.Int; k <= plan.Text; k++ {
		rapid.Check(t, func(t *rapid.T) {
			levels := rapid.SliceOfNDistinct(anyLevel(k), 1, 20, rapid.ID).Draw(t, "levels")
			got, err := anyFactor(k).Parse(typed(levels), nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Levels) != len(levels) {
				t.Fatalf("%v, want %v", got.Levels, levels)
			}
			for i, l := range levels {
				if got.Levels[i] != l {
					t.Fatalf("level %d: %v, want %v", i, got.Levels[i], l)
				}
			}
		})
	}
}

// A range of decimals equals the list of them, counted in hundredths.
func TestRangeIsItsList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.IntRange(0, 500).Draw(t, "from")
		step := rapid.IntRange(1, 50).Draw(t, "step")
		to := from + rapid.IntRange(0, 500).Draw(t, "width")
		hundredths := func(n int) string { return plan.FloatLevel(float64(n) / 100).String() }
		var want []string
		for n := from; n <= to; n += step {
			want = append(want, hundredths(n))
		}
		got, err := load.Parse(hundredths(from)+".."+hundredths(to)+":+"+hundredths(step), nil)
		if err != nil || typed(got.Levels) != strings.Join(want, ",") {
			t.Fatalf("%s, %v; want %v", typed(got.Levels), err, want)
		}
	})
}

// TestFineFactor checks that a range of thousands of multiplications has the levels of exact arithmetic.
func TestFineFactor(t *testing.T) {
	c, err := load.Parse("1..2:x1.0001", nil)
	if err != nil || len(c.Levels) != 6932 {
		t.Fatalf("%d levels, %v; log(2)/log(1.0001) is 6931.8", len(c.Levels), err)
	}
	for _, k := range []int64{1, 300, 6931} {
		step, to := big.NewInt(10001), big.NewInt(10000)
		exact := new(big.Rat).SetFrac(step.Exp(step, big.NewInt(k), nil), to.Exp(to, big.NewInt(k), nil))
		want, _ := exact.Float64()
		if got := c.Levels[k].String(); got != plan.FloatLevel(want).String() {
			t.Errorf("level %d is %s, want %v", k, got, want)
		}
	}
	for _, expr := range []string{"1..201:x1.0001", "1..2:x1.000069", "0..1:+0.0001",
		"1e-320..1e308:x1.000000000000001"} {
		if _, err := load.Parse(expr, nil); err == nil || !strings.Contains(err.Error(), "more than 10000 levels") {
			t.Errorf("%s: %v", expr, err)
		}
	}
	for _, expr := range []string{"0..0.9999:+0.0001", "1..2:x1.00007"} {
		if c, err := load.Parse(expr, nil); err != nil {
			t.Errorf("%s: %d levels, %v", expr, len(c.Levels), err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"1,2,4", "1..6", "1..1024:x2", "0.4..1.1:+0.1", "0ms..2ms:+500us", "cpus", "6..1",
		"1..2:x1.0001",
		"1e-320..1e308:x1.1", "-1..1:+1e-5", "9223372036854775807", "NaN", "..", ":", ",", "1..2:+0", "uniform",
		"0,1h..2h:x1.5"} {
		f.Add(s)
	}
	factors := []plan.Factor{workers, stage, load, offset, dist, file}
	f.Fuzz(func(t *testing.T, expr string) {
		for _, f := range factors {
			c, err := f.Parse(expr, []string{"cpus"})
			if err != nil {
				if !strings.HasPrefix(err.Error(), f.Name+" ") {
					t.Errorf("%v does not name the factor", err)
				}
				continue
			}
			if (len(c.Levels) > 0) == (c.Follow != "") || len(c.Levels) > plan.MaxLevels {
				t.Errorf("--%s %q: %d levels, follow %q", f.Name, expr, len(c.Levels), c.Follow)
			}
			seen := map[plan.Level]bool{}
			for _, l := range c.Levels {
				if r, err := f.Recast(l); err != nil || r != l || seen[l] {
					t.Errorf("--%s %q: level %v, repeated %v, recast to %v, %v", f.Name, expr, l, seen[l], r, err)
				}
				seen[l] = true
			}
		}
	})
}

// TestDecimalLevels checks that levels are read in base 10, and that leading zeros are refused.
func TestDecimalLevels(t *testing.T) {
	for _, f := range []plan.Factor{{Name: "cpus", Kind: plan.Int}, {Name: "load", Kind: plan.Float}} {
		for _, text := range []string{"010", "00", "+5", "01..3", "1..04", "0x2", "1_0", "1,02", "1..8:x02", "-0",
			"1,-0", "-0..3"} {
			if c, err := f.Parse(text, nil); err == nil {
				t.Errorf("--%s %s is %v", f.Name, text, c.Levels)
			}
		}
		if _, err := f.Parse("0,10,100", nil); err != nil {
			t.Error(err)
		}
	}
	for _, text := range []string{"-0", "-0s", "1s,-0ms"} {
		if c, err := (plan.Factor{Name: "pause", Kind: plan.Duration}).Parse(text, nil); err == nil {
			t.Errorf("--pause %s is %v", text, c.Levels)
		}
	}
}
