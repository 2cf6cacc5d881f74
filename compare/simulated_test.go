package compare

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// tries is the number of sweeps per statement. make simulate tries 10,000 and requires the manual to show its
// output. Fewer must agree with the targets and with the manual within three and four standard errors.
var tries = flag.Int("datasets", 500, "simulated data sets of each situation")

// sampling returns the standard error of a percentage if there are fewer data sets than the manual's.
func sampling(share float64) float64 {
	if *tries >= dataSets {
		return 0
	}
	share = min(max(share, 1), 99)
	return math.Sqrt(share * (100 - share) / float64(*tries))
}

// tally counts the data sets in which something happened, and sums.
type tally map[string]float64

// share returns a count as a percentage of the data sets.
func (c tally) share(name string) float64 { return 100 * c[name] / float64(*tries) }

// experiment runs f on every data set of every case, with a goroutine for each, and tallies the results.
func experiment(seed uint64, cases int, f func(i int, r *rand.Rand, c tally)) []tally {
	tallies := make([]tally, cases)
	var group sync.WaitGroup
	for i := range cases {
		tallies[i] = tally{}
		group.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			for range *tries {
				f(i, r, tallies[i])
			}
		})
	}
	group.Wait()
	return tallies
}

// table collects the lines that the manual shows.
type table struct {
	t *testing.T
	b strings.Builder
}

func (o *table) line(format string, args ...any) { fmt.Fprintf(&o.b, format+"\n", args...) }

func (o *table) head(columns ...string) {
	o.line("| %s |", strings.Join(columns, " | "))
	o.line("|%s", strings.Repeat("---|", len(columns)))
}

// within fails if a figure misses its target.
func (o *table) within(what string, got, low, high float64) {
	o.t.Helper()
	if slack := 3 * sampling(got); got < low-slack || got > high+slack {
		o.t.Errorf("%s: %.2f, not within %v and %v", what, got, low, high)
	}
}

// sharp fails if a figure exceeds an exact level by more than two standard errors. Sampling errors occur even with
// all data sets.
func (o *table) sharp(what string, got, level float64) {
	o.t.Helper()
	if slack := max(3*sampling(got), 2*math.Sqrt(level*(100-level)/dataSets)); got > level+slack {
		o.t.Errorf("%s: %.2f, above %v", what, got, level)
	}
}

// TestSimulated measures the error rates of verdicts on simulated machines and compares them with the targets. Its
// table is in the manual, where figures may differ in the last digit, because processors differ in rounding.
func TestSimulated(t *testing.T) {
	t.Parallel()
	o := &table{t: t}
	o.pairs()
	o.naive()
	o.families()
	o.margins()
	o.detectable()
	o.interims()
	o.equivalence()
	o.rareTrials()
	o.budgets()
	o.allocations()
	o.orders()
	o.price()
	o.bound()
	t.Log("\n" + o.b.String())
	if manual := shownTables(t); !sameFigures(manual, o.b.String()) {
		t.Errorf("the manual does not show, between its marks, what make simulate prints, but\n%s", manual)
	}
}

// shownTables returns the parts of the manual that show the output of make simulate, in its order.
func shownTables(t *testing.T) string {
	t.Helper()
	const mark = "<!-- make simulate -->\n"
	var tables []string
	for _, page := range []string{"22-method.md", "13-budget.md", "23-noise.md"} {
		text, err := os.ReadFile(filepath.Join("..", "docs", "manual", page))
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(string(text), mark)
		if len(parts)%2 == 0 || len(parts) == 1 {
			t.Fatalf("%s has %d marks %q, not pairs of them", page, len(parts)-1, strings.TrimSpace(mark))
		}
		for i := 1; i < len(parts); i += 2 {
			tables = append(tables, parts[i])
		}
	}
	return strings.Join(tables, "\n")
}

// sameFigures reports whether two texts are equal except for the last digits of their figures.
func sameFigures(a, b string) bool {
	figure := regexp.MustCompile(`[0-9]+\.[0-9]+`)
	as, bs := figure.FindAllString(a, -1), figure.FindAllString(b, -1)
	if len(as) != len(bs) || figure.ReplaceAllString(a, "#") != figure.ReplaceAllString(b, "#") {
		return false
	}
	for i := range as {
		x, _ := strconv.ParseFloat(as[i], 64)
		y, _ := strconv.ParseFloat(bs[i], 64)
		if math.Abs(x-y) > 0.11+4*sampling(x) {
			return false
		}
	}
	return true
}

func TestSameFigures(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"a 1.5% b", "a 1.6% b", true}, {"a 1.5% b", "a 8.7% b", false}, {"a 1.5", "b 1.5", false},
		{"10 of 12", "11 of 12", false}, {"1.5", "1.5 2.5", false},
	} {
		if sameFigures(c.a, c.b) != c.want {
			t.Errorf("%q and %q: the same %v", c.a, c.b, !c.want)
		}
	}
}

// pairs: one comparison of 10 blocks whose true ratio lies three standard errors from 1. The paired optimum
// is Student's t of the pairs: of all unbiased tests that no effect of the blocks can disturb it is
// the most powerful one where errors are normal (Lehmann and Romano: Testing Statistical Hypotheses, 3rd
// edition, 2005, section 5.2). Two oracles have twice its degrees of freedom: one knows how much pairs scatter
// from ten blocks more, the other what the machine did to each trial, and takes it off. Nothing is promised
// where the trials of one design alone are slow at times.
func (o *table) pairs() {
	all := append(machines(), lopsided(0.02, 0.15, 0.15))
	j := DefaultCriteria("", nil)
	j.Margin = 0
	got := experiment(1, len(all), func(i int, r *rand.Rand, c tally) {
		effect := 3 * all[i].deviation() / math.Sqrt(10)
		logs, weather := all[i].shuffledSweep(r, 20, []float64{effect + all[i].bias(), 0})
		s := differences(logs[0][:10], logs[1][:10])
		verdict := j.judge([]blockSeries{s})[0]
		p := verdict.ratio
		low, high := p.Interval(0.95)
		c["covers"] += float64(boolToInt(low <= math.Exp(effect) && math.Exp(effect) <= high))
		c["finds"] += float64(boolToInt(verdict.verdict == differs))
		c["optimum finds"] += float64(boolToInt(p.P() <= 0.05))
		c["width"] += math.Log(high / low)
		_, half := twoSample(s.logs, differences(logs[0][10:], logs[1][10:]).logs)
		c["scatter's width"] += math.Sqrt2 * half // of one sample's mean, not of the difference of two
		for d := range weather {
			for b, x := range weather[d] {
				logs[d][b] -= x
			}
		}
		d, half := twoSample(logs[0][:10], logs[1][:10])
		c["weather's width"] += 2 * half
		c["oracle finds"] += float64(boolToInt(math.Abs(d) > half))
	})
	o.line("One comparison of 10 blocks; the true ratio is three standard errors from 1:\n")
	o.head("machine", "interval contains the true ratio", "wider than with twice the degrees of freedom",
		"wider than on an undisturbed machine", "difference found", "found by the paired optimum",
		"found on an undisturbed machine")
	for i, c := range got {
		wider, undisturbed := 100*(c["width"]/c["scatter's width"]-1), 100*(c["width"]/c["weather's width"]-1)
		o.line("| %s | %.1f%% | %.1f%% | %.1f%% | %.1f%% | %.1f%% | %.1f%% |", all[i].name, c.share("covers"),
			wider, undisturbed, c.share("finds"), c.share("optimum finds"), c.share("oracle finds"))
		if all[i].first {
			continue
		}
		o.within(all[i].name+": covers", c.share("covers"), 93.5, 100)
		o.within(all[i].name+": wider", wider, -1, 10)
		o.within(all[i].name+": power less than the optimum's", c.share("optimum finds")-c.share("finds"), 0, 3)
	}
}

// naive: the analysis that measures all of A, then all of B, on the same machines.
func (o *table) naive() {
	all := machines()
	got := experiment(2, len(all), func(i int, r *rand.Rand, c tally) {
		effect := 3 * all[i].deviation() / math.Sqrt(10)
		covers, finds := all[i].naive(r, effect)
		_, false0 := all[i].naive(r, 0)
		c["covers"] += float64(boolToInt(covers))
		c["finds"] += float64(boolToInt(finds))
		c["false"] += float64(boolToInt(false0))
	})
	o.line("\nTen trials of one design, then ten of the other; means and a two-sample t interval:\n")
	o.head("machine", "interval contains the true ratio", "difference found", "false difference")
	fails := 0
	for i, c := range got {
		o.line("| %s | %.1f%% | %.1f%% | %.1f%% |", all[i].name, c.share("covers"), c.share("finds"),
			c.share("false"))
		fails += boolToInt(c.share("covers") < 93.5 || c.share("false") > 5.5 || c.share("finds") < 40)
	}
	if fails < 3 {
		o.t.Errorf("the naive analysis fails on %d machines only", fails)
	}
}

// families: false verdicts of sweeps of five designs, each compared with its neighbour and the first: seven
// comparisons. There are more pairs of designs, because their level is exact. No margin ends comparisons early, so
// every possible error occurs.
func (o *table) families() {
	all := machines()
	once, interims := DefaultCriteria("", nil), DefaultCriteria("", nil)
	once.Margin, interims.Margin, interims.Interims = 0, 0, usualInterims()
	got := experiment(3, len(all), func(i int, r *rand.Rand, c tally) {
		logs := all[i].sweep(r, 40, make([]float64, 5))
		found := func(states []sequentialState) float64 {
			for _, s := range states {
				if s.verdict == differs {
					return 1
				}
			}
			return 0
		}
		c["looks"] += found(interims.judge(family(logs)))
		for d := range logs {
			logs[d] = logs[d][:10]
		}
		c["once"] += found(once.judge(family(logs)))
		for range pairsEach {
			logs := all[i].sweep(r, 40, make([]float64, 2))
			pair := []blockSeries{differences(logs[1], logs[0])}
			c["looks, one"] += found(interims.judge(pair)) / pairsEach
			c["no spending"] += unspent(&pair[0]) / pairsEach
		}
	})
	o.line("\nSweeps with any false verdict: five equal designs with seven comparisons, and two equal designs with "+
		"one comparison\n(%d pairs for each sweep):\n", pairsEach)
	o.head("machine", "10 blocks", "interim analyses", "interim analyses, one comparison",
		"one comparison, 5% at each analysis")
	for i, c := range got {
		o.line("| %s | %.1f%% | %.1f%% | %.1f%% | %.1f%% |", all[i].name, c.share("once"), c.share("looks"),
			c.share("looks, one"), c.share("no spending"))
		o.within(all[i].name+": family", c.share("once"), 0, 5)
		o.within(all[i].name+": family with interim analyses", c.share("looks"), 0, 5)
		o.sharp(all[i].name+": one with interim analyses", c.share("looks, one"), 5)
	}
}

const pairsEach = 8

// unspent is 1 if some analysis has a p-value of at most 5%.
func unspent(s *blockSeries) float64 {
	for _, n := range InterimBlocks() {
		if c, _, _ := s.comparison(n); c.P() <= 0.05 {
			return 1
		}
	}
	return 0
}
