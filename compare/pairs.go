package compare

import (
	"fmt"

	"github.com/brewput/brewput/internal/decimal"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// Pair is two rows whose metrics are compared, with their trials. A pair is paired by block if each block holds a
// trial of both.
type Pair struct {
	A, B             *Row
	trialsA, trialsB []*result.Trial
	startsA, startsB []int // of several runs per side: the first block of each
	triedBlocks      []int // of paired rows: blocks in which both were tried
	Paired           bool
	NameA, NameB     string // of runs or files; "" within one run
}

// PairLevels returns the pairs of rows of one run that verdicts compare.
func (c Criteria) PairLevels(rows []Row, trials []result.Trial) []Pair {
	of, tried := byRow(trials), triedBlocks(trials)
	var list []Pair
	for _, p := range c.pairs(rows, c.excludedBy(trials)) {
		a, b := rowKey(p[0]), rowKey(p[1])
		s := Pair{A: p[0], B: p[1], trialsA: of[a], trialsB: of[b], Paired: true}
		for _, block := range sortedBlocks(tried[a]) {
			if tried[b][block] {
				s.triedBlocks = append(s.triedBlocks, block)
			}
		}
		list = append(list, s)
	}
	return list
}

// Differences names the settings in which the rows differ. Pairs with the same differences form a group, and so do
// their verdicts.
func (p *Pair) Differences() string {
	_, onlyA, onlyB := SplitPoints(p.A.Point, p.B.Point)
	return differencesOf(onlyA, onlyB)
}

// Differences names the settings in which the sides of a verdict differ.
func (v *Verdict) Differences() string { return differencesOf(v.OnlyA, v.OnlyB) }

// String returns the verdict in one line, such as "live, cpus=2: fine compared with coarse: faster, 1.90x the
// throughput_per_s, 95% interval [1.85, 1.95]".
func (v Verdict) String() string {
	text := v.World
	if at := v.Point.String(); at != "" {
		text += ", " + at
	}
	text += ": " + sideText(v.A, v.ARun, v.OnlyA)
	if v.Verdict == Unstable {
		return text + ": " + v.Verdict
	}
	text += " compared with " + sideText(v.B, v.BRun, v.OnlyB)
	if v.NoRatio != "" {
		return text + ": no ratio: " + v.NoRatio
	}
	text += fmt.Sprintf(": %s, %s the %s", v.Verdict, times(float64(v.Ratio)), v.Metric)
	switch {
	case v.Exact:
		text += ", exact"
	case v.Low.Known():
		text += fmt.Sprintf(", 95%% interval [%s, %s]", decimal.Ratio(float64(v.Low)), decimal.Ratio(float64(v.High)))
	}
	return text
}

// sideText names a side of a verdict, with the settings that only this side has; run is "" within one run.
func sideText(design, run string, only plan.Point) string {
	if text := only.String(); text != "" {
		design += " (" + text + ")"
	}
	if run != "" {
		design += " in " + run
	}
	return design
}

func differencesOf(onlyA, onlyB plan.Point) string { return onlyA.String() + " / " + onlyB.String() }

// groupByDifferences groups pairs by the settings in which they differ, such as GOGC=50 against GOGC=100, in order of
// appearance. A geometric mean over several groups would be meaningless.
func groupByDifferences(pairs []Pair) [][]Pair {
	var groups [][]Pair
	at := map[string]int{}
	for _, s := range pairs {
		id := s.Differences()
		if _, ok := at[id]; !ok {
			at[id] = len(groups)
			groups = append(groups, nil)
		}
		groups[at[id]] = append(groups[at[id]], s)
	}
	return groups
}

// pairRuns returns the pairs of rows of two runs or files a and b. paired means that both were measured in the same
// blocks.
func (c Criteria) pairRuns(a, b Run, paired bool) (list []Pair, onlyA, onlyB []Row) {
	matches, onlyA, onlyB := c.matchDesigns(a.Rows, b.Rows)
	ofA, ofB := byRow(a.Trials), byRow(b.Trials)
	for i := range matches {
		m := &matches[i]
		list = append(list, Pair{A: &m.A, B: &m.B, trialsA: ofA[rowKey(&m.A)], trialsB: ofB[rowKey(&m.B)],
			startsA: a.starts, startsB: b.starts, Paired: paired, NameA: a.Name, NameB: b.Name})
	}
	return list, onlyA, onlyB
}

// byRow returns the good trials of each row.
func byRow(trials []result.Trial) map[key][]*result.Trial {
	m := map[key][]*result.Trial{}
	for i := range trials {
		if t := &trials[i]; t.Kind == result.KindTrial && t.Good() {
			m[trialKey(t)] = append(m[trialKey(t)], t)
		}
	}
	return m
}

// values returns a metric by block.
func values(trials []*result.Trial, metric string) map[int]float64 {
	m := map[int]float64{}
	for _, t := range trials {
		if v := t.Metrics.Get(metric); measured(v) {
			m[t.Block] = float64(v)
		}
	}
	return m
}

// samples returns the values of a metric on both sides. Paired values have the same order of blocks.
func (p *Pair) samples(metric string) (xs, ys []float64, blocks []int) {
	a, b := values(p.trialsA, metric), values(p.trialsB, metric)
	for _, block := range sortedBlocks(a) {
		y, both := b[block]
		if p.Paired && !both {
			continue
		}
		xs, blocks = append(xs, a[block]), append(blocks, block)
		if p.Paired {
			ys = append(ys, y)
		}
	}

	if !p.Paired {
		for _, block := range sortedBlocks(b) {
			ys = append(ys, b[block])
		}
	}
	return xs, ys, blocks
}
