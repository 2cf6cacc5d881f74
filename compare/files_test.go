package compare

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/brewput/brewput/result"
)

// differentFiles returns the files of one side of a benchmark. Each has a level of its own, with a spread of 2%,
// and 10 lines with an error of 0.5%. effect is the true difference.
func differentFiles(r *rand.Rand, files int, effect float64) Run {
	var parts []Run
	for k := range files {
		level, part := effect+0.02*r.NormFloat64(), Run{Name: strconv.Itoa(k)}
		for b := range 10 {
			part.Trials = append(part.Trials, benchTrial("", b, takes(100*math.Exp(level+0.005*r.NormFloat64()))))
		}
		parts = append(parts, part)
	}
	cases := casesOf(parts[0].Trials)
	side := MergeRuns(parts, cases)
	side.Rows = Rows(side.Trials, cases) // also with a single file
	return side
}

// TestFilesDiffer: if files of one program differ by more than their lines, one file per side gives many false
// differences. Several files per side give as few as promised, and find true differences.
func TestFilesDiffer(t *testing.T) {
	t.Parallel()
	const sets = 1000
	for _, c := range []struct {
		a, b      int
		effect    float64
		low, high float64 // percentage of differences found
	}{
		{1, 1, 0, 55, 65}, {2, 2, 0, 3, 6.5}, {3, 3, 0, 3, 6.5}, {5, 3, 0, 2, 6.5}, {1, 3, 0, 0, 0},
		{3, 3, 0.1, 95, 100}, {5, 5, 0.05, 85, 100},
	} {
		r := rand.New(rand.NewPCG(31, uint64(c.a)))
		seen := 0
		for range sets {
			sides, _, _ := levelCriteria().pairRuns(differentFiles(r, c.a, c.effect), differentFiles(r, c.b, 0), false)
			v := levelCriteria().MetricVerdicts(sides, result.TimePerOp, -1)[0]
			seen += boolToInt(v.Verdict == Faster || v.Verdict == Slower)
		}
		got := 100 * float64(seen) / sets
		t.Logf("%d and %d files, %.0f%% apart: differences %.1f%%", c.a, c.b, 100*c.effect, got)
		if got < c.low || got > c.high {
			t.Errorf("%d and %d files, %.0f%% apart: %.1f%% differences, not %v to %v", c.a, c.b, 100*c.effect, got,
				c.low, c.high)
		}
	}
}

// TestSeveralFiles: the verdict has the number of files with the benchmark, and how many more would decide.
// Constant counts and metrics with zeros are compared as with one file.
func TestSeveralFiles(t *testing.T) {
	side := func(files ...result.Metrics) Run {
		var parts []Run
		for k, m := range files {
			part := Run{Name: strconv.Itoa(k)}
			for b := range 3 {
				if m != nil {
					part.Trials = append(part.Trials, benchTrial("", b, m))
				}
			}
			parts = append(parts, part)
		}
		return MergeRuns(parts, casesOf(parts[0].Trials))
	}
	of := func(ns, allocs float64) result.Metrics {
		return result.Metrics{result.TimePerOp: result.Value(ns), result.AllocsPerOp: result.Value(allocs)}
	}
	for _, c := range []struct {
		name         string
		a, b         Run
		metric, want string
		runsA, runsB int
	}{
		{"apart", side(of(200, 1), of(201, 1)), side(of(100, 1), of(101, 1)), result.TimePerOp, Slower, 2, 2},
		{"not apart", side(of(100, 1), of(110, 1)), side(of(99, 1), of(108, 1), of(104, 1)), result.TimePerOp,
			Undecided, 2, 3},
		{"a file without it", side(of(200, 1), nil, of(201, 1)), side(of(100, 1), of(101, 1)), result.TimePerOp, Slower,
			2, 2},
		{"exact", side(of(200, 2), of(201, 2)), side(of(100, 1), of(101, 1)), result.AllocsPerOp, Worse, 0, 0},
		{"exact in each file", side(of(200, 20), of(201, 21)), side(of(100, 1), of(101, 1)), result.AllocsPerOp, Worse,
			2, 2},
		{"zeros", side(of(200, 20), of(201, 21)), side(of(100, 0), of(101, 0)), result.AllocsPerOp, Worse, 2, 2},
	} {
		sides, _, _ := levelCriteria().pairRuns(c.a, c.b, false)
		v := levelCriteria().MetricVerdicts(sides, c.metric, -1)[0]
		if v.Verdict != c.want || v.RunsA != c.runsA || v.RunsB != c.runsB || v.MoreBlocks != nil ||
			(v.MoreRuns != nil) != (c.want == Undecided) {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}
