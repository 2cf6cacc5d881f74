package sweep

import (
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// planned returns a header of two designs, and the trials of its plan.
func planned() (h Header, trials []result.Trial, blocks map[int]int) {
	point := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)})
	h = Header{Workload: "w", World: result.Live, Seed: "7", Blocks: 3, Instrumented: true,
		Cases: []plan.Case{{Design: "a", Point: point}, {Design: "b", Point: point}}}
	p := plan.Plan{Seed: 7, Blocks: 3, Cases: h.Cases, Instrumented: true}
	blocks = map[int]int{}
	for b := range 2 {
		for _, s := range p.Block(b) {
			t := result.Trial{Kind: result.KindTrial, Workload: "w", World: result.Live, Design: h.Cases[s.Case].Design,
				Point: point, Block: b, Order: s.Order,
				Seed: strconv.FormatUint(p.BlockSeed(b), 10), Status: result.OK, Type: result.Stream,
				Metrics: result.Metrics{result.Throughput: 1, "latency_p999_ns": 2}}
			if s.Instrumented {
				t.Kind = result.KindInstrumented
			}
			trials = append(trials, t)
		}
		blocks[b] = 4
	}
	return h, trials, blocks
}

// TestCheck refuses trials that the plan in the header does not have.
func TestCheck(t *testing.T) {
	other := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(2)})
	for _, c := range []struct {
		change func(h *Header, trials []result.Trial)
		words  string // "" if it fits
		old    string // the same for an old run
	}{
		{func(*Header, []result.Trial) {}, "", ""},
		{func(_ *Header, l []result.Trial) { l[5].Workload = "v" }, `block 1 order 1: its workload is "v"`,
			"workload"},
		{func(_ *Header, l []result.Trial) { l[5].World = result.Virtual }, `its world is "virtual"`, "world"},
		{func(_ *Header, l []result.Trial) { l[5].Block = 3 }, "block 3 order 1: the plan has 3 blocks", "3 blocks"},
		{func(_ *Header, l []result.Trial) { l[5].Status = "okay" }, `its status "okay"`, "status"},
		{func(_ *Header, l []result.Trial) { l[5].Seed = "8" }, `its seed is "8"`, ""},
		{func(_ *Header, l []result.Trial) { l[5].Point = other }, "the plan has no", "the plan has no"},
		{func(_ *Header, l []result.Trial) { l[5].Design = "c" }, "the plan has no", "the plan has no"},
		{func(_ *Header, l []result.Trial) { l[5].Kind = result.KindTrial; l[4].Kind = result.KindTrial },
			"another place", ""},
		{func(_ *Header, l []result.Trial) { l[4].Order, l[5].Order = 1, 0 }, "another place", ""},
		{func(_ *Header, l []result.Trial) { l[7].Order = 9 }, "the trial of order 3 is missing", ""},
		{func(_ *Header, l []result.Trial) { l[5].Metrics["own"] = 1 }, "", ""}, // workload.Stream.Metrics
		{func(h *Header, _ []result.Trial) { h.Seed = "8" }, "seed", ""},
		{func(h *Header, _ []result.Trial) { h.Seed = "x" }, `"x" is not a number`, "number"},
		{func(h *Header, _ []result.Trial) { h.Cases = h.Cases[:1] }, "the plan has no", "the plan has no"},
		{func(h *Header, _ []result.Trial) { h.Blocks = 1 }, "the plan has 1 blocks", "1 blocks"},
	} {
		for _, old := range []bool{false, true} {
			h, trials, blocks := planned()
			c.change(&h, trials)
			words := c.words
			if old {
				words = c.old
			}
			err := h.Check(trials, blocks, old)
			if (err == nil) != (words == "") || err != nil && !strings.Contains(err.Error(), words) {
				t.Errorf("old %v: %v; want %q", old, err, words)
			}
		}
	}
}

// TestCheckSome: blocks may lack cases only if a rule selects them.
func TestCheckSome(t *testing.T) {
	h, trials, blocks := planned()
	some := trials[:4:4]
	for _, x := range trials[4:] {
		if x.Design == "a" {
			x.Order = len(some) - 4
			some = append(some, x)
		}
	}
	blocks[1] = len(some) - 4
	if err := h.Check(some, blocks, false); err == nil {
		t.Error("a complete block lacks a design")
	}
	h.Precision = NewPrecision(0.1)
	if err := h.Check(some, blocks, false); err != nil {
		t.Error(err)
	}
	some[4].Order, some[5].Order = some[5].Order, some[4].Order
	if err := h.Check(some, blocks, false); err == nil {
		t.Error("an order that the plan does not have")
	}

	h, trials, blocks = planned()
	delete(blocks, 1)
	if err := h.Check(trials[:6], blocks, false); err != nil {
		t.Errorf("a block under way: %v", err)
	}
	maps.Copy(blocks, map[int]int{1: 2})
	if err := h.Check(trials[:6], blocks, false); err == nil ||
		!strings.Contains(err.Error(), "block 1 is complete with 2 trials, and the plan has 4") {
		t.Error(err)
	}
}
