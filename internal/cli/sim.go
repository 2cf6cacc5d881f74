package cli

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

func (a *app) simCommand() *cobra.Command {
	o := runOptions{virtual: true, sample: 1}
	cmd := &cobra.Command{
		Use:   "sim WORKLOAD",
		Short: "Calculate designs in virtual time, on any number of CPUs",
		Long: `Sim runs the designs of a workload in virtual time: the same source as run measures, on CPUs that a model of
Go's scheduler keeps busy. It takes no more of this machine than it needs, and the same seed gives the same
numbers on every machine. Work takes the time that the design says (its burns); what the scheduler and
its primitives take is --cost. It does not model caches, memory bandwidth, garbage collection or the host.

Factors, formats and the run directory are those of run. Each further replication (--count) has customers of its own.`,
		Example: indent("NAME sim coffee --cpus 1..6 --cost none\nNAME sim coffee --designs locking,finelocking --cpus 1..64:x2 --cost wake=60us\nNAME sim coffee --designs linearpipe --cpus 6 --buffer 0,1,10 --jitter 2ms --count 10"),
	}
	a.withoutWorkload(cmd, &o)
	f := cmd.PersistentFlags()
	o.addCommon(f)
	f.IntVar(&o.count, "count", 1, "replications, each with customers of its own; 6 and more have intervals")
	f.DurationVar(&o.duration, "duration", 10*time.Second, "virtual `TIME` that is measured")
	f.DurationVar(&o.warmup, "warmup", time.Second, "virtual `TIME` before it")
	f.StringVar(&o.cost, "cost", "", "what the scheduler takes: none, or `COSTS` such as wake=60us,chan=200ns, every other being none; of wake, spin, steal, switch, spawn, chan, lock, timer, syscall (default typical ones)")
	cmd.RegisterFlagCompletionFunc("designs", a.completeFlagDesigns)
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	for _, w := range a.workloads {
		cmd.AddCommand(a.runWorkload(w, &o))
	}
	return cmd
}

// virtualHeader describes a sweep in virtual time.
func (a *app) virtualHeader(w *workload.Workload, o runOptions, cases []plan.Case) (sweep.Header, error) {
	costs := sim.Typical()
	if o.cost != "" {
		var err error
		if costs, err = sim.ParseCosts(o.cost); err != nil {
			return sweep.Header{}, usage("--cost %s: %w", o.cost, err)
		}
	}
	h := sweep.Header{
		Workload: w.Name, World: result.Virtual, Args: os.Args[1:], Version: version(), Started: time.Now(),
		Seed: strconv.FormatUint(o.seed, 10), Blocks: o.count, Cases: cases, Costs: costs.String(),
		Settings: sweep.Settings{
			Duration: sweep.Duration(o.duration), Warmup: sweep.Duration(o.warmup), Operations: o.operations, Sample: 1,
		},
		Environment: host.Read(), Warnings: []string{},
	}
	if o.cost == "" {
		h.Warnings = append(h.Warnings, "the scheduler's costs are typical ones, not of a machine that was measured: "+h.Costs+"; set them with --cost")
	}
	return h, nil
}

// virtualCases refuses what has no virtual world.
func virtualCases(w *workload.Workload, cases []plan.Case) error {
	for _, c := range cases {
		if d, _ := w.Find(c.Design); d.Worlds == workload.LiveOnly {
			return usage("%s/%s has no virtual world: it uses what only a real machine has; leave it out with --designs", w.Name, d.Name)
		}
		if n := c.Point.Int("cpus"); n > sim.MaxCPUs {
			return usage("--cpus %d: the simulation has at most %d CPUs", n, sim.MaxCPUs)
		}
	}
	return nil
}

// simulate runs one trial in virtual time.
func simulate(w *workload.Workload, h sweep.Header) func(context.Context, trial.Spec) (trial.Outcome, error) {
	costs, err := sim.ParseCosts(h.Costs)
	return func(ctx context.Context, spec trial.Spec) (trial.Outcome, error) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return trial.Outcome{}, err
		}
		d, _ := w.Find(spec.Design)
		return trial.Simulate(spec, w, d, costs), nil
	}
}

// simulator runs the trials of a sweep in virtual time, ahead of their being asked for, as many at once as
// there are CPUs. A trial depends on nothing but its specification, and so its result not on how many.
type simulator struct {
	run   func(context.Context, trial.Spec) (trial.Outcome, error)
	ahead map[[2]int]chan simulated // by block and order
	next  []trial.Spec
	slots chan struct{}
}

type simulated struct {
	outcome trial.Outcome
	err     error
}

// newSimulator looks ahead over the trials that are still to be run.
func newSimulator(s *sweep.Sweep) *simulator {
	return &simulator{run: simulate(s.Workload, s.Header), ahead: map[[2]int]chan simulated{},
		next: s.Missing(), slots: make(chan struct{}, runtime.GOMAXPROCS(0))}
}

// Run returns the outcome of a trial.
func (m *simulator) Run(ctx context.Context, spec trial.Spec) (trial.Outcome, error) {
	place := [2]int{spec.Block, spec.Order}
	if m.ahead[place] == nil {
		m.begin(ctx, spec)
	}
	// Twice as many as there are CPUs are begun: one that takes long does not hold up the rest.
	for len(m.next) > 0 && len(m.ahead) < 2*cap(m.slots) {
		m.begin(ctx, m.next[0])
	}
	select {
	case s := <-m.ahead[place]:
		delete(m.ahead, place)
		return s.outcome, s.err
	case <-ctx.Done():
		return trial.Outcome{}, ctx.Err()
	}
}

func (m *simulator) begin(ctx context.Context, spec trial.Spec) {
	done := make(chan simulated, 1)
	m.ahead[[2]int{spec.Block, spec.Order}] = done
	m.next = slices.DeleteFunc(m.next, func(s trial.Spec) bool { return s.Block == spec.Block && s.Order == spec.Order })
	go func() {
		m.slots <- struct{}{}
		defer func() { <-m.slots }()
		outcome, err := m.run(ctx, spec)
		done <- simulated{outcome, err}
	}()
}

// virtualIntent is what is still to be calculated.
func virtualIntent(s *sweep.Sweep) string {
	text := fmt.Sprintf("%s, in virtual time: %d designs with their points, x %d replications", s.Workload.Name, len(s.Plan.Cases), s.Plan.Blocks)
	if len(s.Done) > 0 {
		text += fmt.Sprintf(", %d of them done", len(s.Done))
	}
	return text
}
