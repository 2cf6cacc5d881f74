package lab

import (
	"context"
	"encoding/json"
	"path/filepath"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/calibrate"
	"github.com/brewput/brewput/internal/gobench"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/sweep"
)

// ResumeBench continues the run of benchmarks in the run directory dir, or returns it if it is complete. It uses the
// test binaries and options of the first execution and requires the same machine. Errors and concurrency are those of
// [Bench]; a dir that cannot be continued, or that another call writes, is a [*Refusal].
func ResumeBench(ctx context.Context, dir string, notify func(Event)) (*BenchResult, error) {
	run, journal, err := store.Resume(dir)
	if err != nil {
		return nil, sweep.StoreError(err)
	}
	r := &benchRun{notify: notify, dir: dir, run: run}
	defer r.close(ctx)
	if err := r.restore(ctx, journal, !journal.Ended); err != nil {
		return nil, closing(run, unstored(ctx, asRefusal(ctx, err), "the benchmarks were read", false))
	}
	r.sweep.Store = run
	return r.execute(ctx)
}

// ReadBench returns the run of benchmarks in the run directory dir as it is stored, complete or not. It runs and writes
// nothing. Errors are those of [ResumeBench]. Concurrent calls are safe.
func ReadBench(dir string, notify func(Event)) (*BenchResult, error) {
	journal, err := store.Open(dir)
	if err != nil {
		return nil, sweep.StoreError(err)
	}
	ctx := context.Background()
	r := &benchRun{notify: notify, dir: dir}
	if err := r.restore(ctx, journal, false); err != nil {
		return nil, asRefusal(ctx, err)
	}
	res := r.result(BenchRun{Dir: dir, Header: r.sweep.Header, Suite: r.bench.Experiment.Suite(), Trials: r.sweep.Done})
	if journal.Judged == len(journal.Trials) {
		res.interims = journal.Interims
	}
	return res, nil
}

// Gate returns the decisions of a run that [ReadBench] has read, if [Gate] measured it and judged all its trials;
// otherwise nil. The result lacks what only the gate knew: BudgetEnded, BlockTime, DefaultLayouts and Stale.
func (r *BenchResult) Gate() (*GateResult, error) {
	if r.Header.Rule != nil || len(r.interims) == 0 {
		return nil, nil
	}
	res := &GateResult{BenchRun: r.BenchRun}
	if err := json.Unmarshal(r.interims[len(r.interims)-1], &res.Decisions); err != nil {
		return nil, refuse("", nil, "%s: the decisions of its gate cannot be read: %w", r.Dir, err)
	}
	res.conclude(r.sweep.Plan.Cases)
	for i, w := range res.Warnings {
		if w.Warning == compare.WarnOtherProcesses {
			res.LoadWarning = &res.Warnings[i]
		}
	}
	return res, nil
}

// restore prepares the sweep from a journal. With measures it also restores what the rest of the run needs.
func (r *benchRun) restore(ctx context.Context, journal *store.Journal, measures bool) error {
	for _, note := range journal.Notes() {
		r.notify.send(Warning{note})
	}
	h, err := sweep.HeaderOf(r.dir, journal)
	if err != nil {
		return err
	}
	if h.Bench == nil {
		return refuse("", nil, "%s is not a run of benchmarks: %w", r.dir, gobench.ErrDesigns)
	}
	x, err := gobench.ExperimentOf(r.dir, &h)
	if err != nil {
		return err
	}
	r.bench = &gobench.Bench{Experiment: x}
	if measures {
		if err := r.restoreBinaries(ctx, &h, x); err != nil {
			return err
		}
	}
	if err := r.equip(h); err != nil {
		return refuse("", nil, "%s cannot be continued: %w", r.dir, err)
	}
	if err := r.sweep.RestoreBudget(r.dir, journal.Interims, journal.Spent); err != nil {
		return err
	}
	r.sweep.Restore(journal.Trials, journal.Blocks, journal.Ended)
	if journal.Ended && h.Rule == nil { // a gate may have ended before its last block
		r.sweep.Plan.Blocks = min(r.sweep.Plan.Blocks, len(journal.Blocks))
	}
	return nil
}

// restoreBinaries checks the machine and restores the test binaries.
func (r *benchRun) restoreBinaries(ctx context.Context, h *sweep.Header, x *gobench.Experiment) (err error) {
	if err := host.Read().SameMachine(h.Environment); err != nil {
		return refuse("", nil, "%s cannot be continued on this machine: %w", r.dir, err).
			Suggest("continue it there, or start a new run")
	}
	if r.workshop, err = gobench.OpenWorkshop(ctx, calibrate.CacheDir(), absolute(r.dir)); err != nil {
		return err
	}
	binaries := filepath.Join(absolute(r.dir), binariesName)
	if r.bench, err = gobench.Restore(ctx, x, r.workshop, binaries, r.note); err != nil {
		return err
	}
	r.note("continuing with the run's original test binaries: later changes of the source are not measured")
	return nil
}
