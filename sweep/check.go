package sweep

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// Check compares what a run directory holds with the plan in its header: each trial's workload, world, design, point,
// block and place in it, its seed, its status, and the names of its metrics. blocks are the complete blocks with their
// number of trials. Of an old run, from before journals had checksums, seeds and the order within blocks are not
// compared: they came about in other ways.
func (h *Header) Check(trials []result.Trial, blocks map[int]int, old bool) error {
	seed, err := strconv.ParseUint(h.Seed, 10, 64)
	if err != nil {
		return fmt.Errorf("the run's seed %q is not a number", h.Seed)
	}
	c := checker{header: h, plan: plan.Plan{Seed: seed, Blocks: h.Blocks, Cases: h.Cases, Instrumented: h.Instrumented},
		old: old, most: h.Blocks}
	if h.Precision != nil {
		c.most = h.Precision.Most
	}
	c.whole = h.Precision == nil && h.Rule == nil && !h.Predicts
	for _, p := range h.Cases {
		c.names = append(c.names, p.Design+" ("+p.Point.String()+")")
	}
	byBlock := map[int][]*result.Trial{}
	for b := range blocks {
		byBlock[b] = nil
	}
	for i := range trials {
		t := &trials[i]
		if err := c.trial(t); err != nil {
			return fmt.Errorf("block %d order %d: %w", t.Block, t.Order, err)
		}
		byBlock[t.Block] = append(byBlock[t.Block], t)
	}
	for _, b := range slices.Sorted(maps.Keys(byBlock)) {
		if err := c.block(b, byBlock[b], blocks); err != nil {
			return err
		}
	}
	return nil
}

// checker compares trials with a plan.
type checker struct {
	header *Header
	plan   plan.Plan
	names  []string // of the plan's cases
	most   int      // blocks
	whole  bool     // each block holds every case
	old    bool
}

// trial checks a trial by itself.
func (c *checker) trial(t *result.Trial) error {
	switch {
	case t.Workload != c.header.Workload:
		return fmt.Errorf("it is of the workload %q, and the run is of %q", t.Workload, c.header.Workload)
	case t.World != c.header.World:
		return fmt.Errorf("its world is %q, and that of the run is %q", t.World, c.header.World)
	case t.Block < 0 || t.Block >= c.most:
		return fmt.Errorf("the plan has %d blocks", c.most)
	case !slices.Contains([]result.Status{result.OK, result.Wrong, result.Violated, result.StatusBound, result.Failed},
		t.Status):
		return fmt.Errorf("its status %q is unknown", t.Status)
	case !c.old && t.Seed != strconv.FormatUint(c.plan.BlockSeed(t.Block), 10):
		return fmt.Errorf("its seed is %q, and that of the block is %d", t.Seed, c.plan.BlockSeed(t.Block))
	}
	if t.Type == result.Job || t.Type == result.Benchmark {
		return nil
	}
	return known(t)
}

// known refuses metrics that the trial of a stream cannot have.
func known(t *result.Trial) error {
	names := slices.Collect(maps.Keys(t.Metrics))
	if d := t.Disturbed; d != nil {
		names = slices.AppendSeq(names, maps.Keys(d.Range))
		for _, s := range d.States {
			names = slices.AppendSeq(names, maps.Keys(s.Metrics))
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if !result.KnownMetric(name) {
			return fmt.Errorf("its metric %q is unknown", name)
		}
	}
	return nil
}

// block checks the order of a block's trials. A block that holds some of the cases only has them in the order of the
// whole block, without gaps.
func (c *checker) block(b int, trials []*result.Trial, blocks map[int]int) error {
	steps, at := c.plan.Block(b), 0
	slices.SortFunc(trials, func(x, y *result.Trial) int { return x.Order - y.Order })
	for i, t := range trials {
		where := fmt.Sprintf("block %d order %d", b, t.Order)
		if t.Order != i && !c.old {
			return fmt.Errorf("%s: the trial of order %d is missing", where, i)
		}
		name, observed := t.Design+" ("+t.Point.String()+")", t.Kind == result.KindInstrumented
		is := func(s plan.Step) bool { return c.names[s.Case] == name && s.Instrumented == observed }
		n := slices.IndexFunc(steps[at:], is)
		switch {
		case n < 0 && !slices.ContainsFunc(steps, is):
			return fmt.Errorf("%s: the plan has no %s trial of %s", where, t.Kind, name)
		case c.old:
			continue
		case n < 0 || c.whole && n > 0:
			return fmt.Errorf("%s: in the plan's order %s (%s) has another place", where, name, t.Kind)
		}
		at += n + 1
	}
	if n, sealed := blocks[b]; sealed && c.whole && !c.old && n != len(steps) {
		return fmt.Errorf("block %d is complete with %d trials, and the plan has %d", b, n, len(steps))
	}
	return nil
}
