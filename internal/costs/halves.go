package costs

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/brewput/brewput/internal/stat"
)

// falseAlarms is the family-wise error of all comparisons of halves: the probability that a calibration of a steady
// machine is refused.
const falseAlarms = 0.05

// tolerance is the fraction of a cost by which the medians of its halves must differ for the cost to have changed. They
// must also differ by half that fraction of its reading, because smaller differences hardly change a prediction.
const tolerance = 0.1

// Unsteady is the error of a calibration whose halves disagree: the machine changed, and the costs describe none of
// its states.
type Unsteady struct{ changes []change }

// change is a cost that differs between two halves of the rounds by more than its variation.
type change struct {
	cost          string
	split         split
	first, second float64 // medians in ns, of burn in millionths
	p             float64
}

// split is a way to divide the rounds into halves.
type split struct {
	first, second string
	inFirst       func(round, rounds int) bool
}

// splits returns the ways to divide the rounds: a disturbance may begin or end, or return periodically.
func splits() []split {
	return []split{
		{"the first half of the rounds", "the second", func(round, rounds int) bool { return round < rounds/2 }},
		{"the odd rounds", "the even ones", func(round, _ int) bool { return round%2 == 0 }},
	}
}

// Error describes the disagreement, its size, and its probability by chance.
func (u *Unsteady) Error() string {
	var parts []string
	for _, c := range u.changes {
		parts = append(parts, c.String())
	}
	return "its halves disagree by more than the scatter of its rounds: " + strings.Join(parts, "; ")
}

func (c change) String() string {
	values := fmt.Sprintf("%s in %s and %s in %s", nanoseconds(c.first), c.split.first, nanoseconds(c.second),
		c.split.second)
	if c.cost == "burn" {
		values = fmt.Sprintf("%.1f%% in %s and %.1f%% in %s", c.first/1e4, c.split.first, c.second/1e4, c.split.second)
	}
	ratio := ""
	if least := min(c.first, c.second); least > 0 {
		ratio = fmt.Sprintf("%.2fx apart, ", max(c.first, c.second)/least)
	}
	return fmt.Sprintf("%s is %s (%sp = %.2g)", c.cost, values, ratio, c.p)
}

// nanoseconds formats a time with three digits.
func nanoseconds(ns float64) string {
	switch {
	case ns >= 1e6:
		return fmt.Sprintf("%.3gms", ns/1e6)
	case ns >= 1e3:
		return fmt.Sprintf("%.3gµs", ns/1e3)
	}
	return fmt.Sprintf("%.3gns", ns)
}

// steady returns an [Unsteady] if the halves of the rounds disagree about a cost. It applies the rank-sum test
// (Wilcoxon 1945) to the medians of the rounds, exactly for 16 of them, at a level shared by all costs and splits.
// The difference must also exceed the tolerance. One bad round changes neither the ranks nor the median much, and is
// no reason to refuse.
func (f *fitter) steady() error {
	u := &Unsteady{}
	for _, price := range f.prices {
		byRound := f.found[price.Cost]
		middles := make([]float64, len(byRound))
		for i, values := range byRound {
			middles[i] = median(values)
		}
		least := max(tolerance*median(middles), tolerance/2*float64(price.Live))
		for _, s := range splits() {
			c := s.compare(middles)
			if c.cost = price.Cost; c.p <= falseAlarms/float64(len(f.prices)*len(splits())) &&
				math.Abs(c.first-c.second) > least {
				u.changes = append(u.changes, c)
			}
		}
	}
	if len(u.changes) == 0 {
		return nil
	}
	slices.SortStableFunc(u.changes, func(a, b change) int { return cmp.Compare(a.p, b.p) })
	return u
}

// compare tests the values of rounds, half against half.
func (s split) compare(values []float64) change {
	ranks := ranked(values)
	var a, b, rankA, rankB []float64
	for i, v := range values {
		if s.inFirst(i, len(values)) {
			a, rankA = append(a, v), append(rankA, ranks[i])
		} else {
			b, rankB = append(b, v), append(rankB, ranks[i])
		}
	}
	return change{split: s, first: median(a), second: median(b), p: stat.LabelPermutation(rankA, rankB)}
}

// ranked returns the ranks of values; equal values share their rank.
func ranked(values []float64) []float64 {
	ascending := slices.Sorted(slices.Values(values))
	ranks := make([]float64, len(values))
	for i, v := range values {
		from, _ := slices.BinarySearch(ascending, v)
		to, _ := slices.BinarySearchFunc(ascending, v, func(x, v float64) int {
			if x <= v {
				return -1
			}
			return 1
		})
		ranks[i] = float64(from+to+1) / 2
	}
	return ranks
}
