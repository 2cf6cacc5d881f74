package sweep

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// Check compares stored trials with the plan in the header: workload, world, design, point, block, order, seed
// and status. Metrics may have any name, because designs measure some themselves. blocks maps each complete block to
// its number of trials. old marks a run from before journals had checksums; such runs drew seeds and orders
// differently, so these are not compared.
func (h *Header) Check(trials []result.Trial, blocks map[int]int, old bool) error {
	seed, err := strconv.ParseUint(h.Seed, 10, 64)
	if err != nil {
		return fmt.Errorf("the run's seed %q is not a number", h.Seed)
	}

	c := checker{header: h, plan: plan.Plan{Seed: seed, Blocks: h.Blocks, Cases: h.Cases, Instrumented: h.Instrumented},
		old: old, most: h.Blocks}
	if h.Precision != nil {
		c.most = h.Precision.MaxReplications
	}

	c.whole = h.Precision == nil && h.Rule == nil && !h.Predicts
	for _, p := range h.Cases {
		c.names = append(c.names, p.Design+" ("+p.Point.String()+")")
	}

	// Complete blocks are checked even if all their trials are missing.
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
	names  []string // names of the plan's cases
	most   int      // upper limit of the number of blocks
	whole  bool     // each block holds every case
	old    bool
}

// trial checks one trial.
func (c *checker) trial(t *result.Trial) error {
	switch {
	case t.Workload != c.header.Workload:
		return fmt.Errorf("its workload is %q, and that of the run is %q", t.Workload, c.header.Workload)
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
	return nil
}

// block checks the order of a block's trials. A block with some of the cases has them in the order of the full
// block, without gaps.
func (c *checker) block(b int, trials []*result.Trial, blocks map[int]int) error {
	steps, at := c.plan.Block(b), 0
	slices.SortFunc(trials, func(x, y *result.Trial) int { return x.Order - y.Order })
	for i, t := range trials {
		where := fmt.Sprintf("block %d order %d", b, t.Order)
		if t.Order != i && !c.old {
			return fmt.Errorf("%s: the trial of order %d is missing", where, i)
		}
		name, instrumented := t.Design+" ("+t.Point.String()+")", t.Kind == result.KindInstrumented
		is := func(s plan.Step) bool { return c.names[s.Case] == name && s.Instrumented == instrumented }
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
