package lab

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/brewput/brewput/internal/calibrate"
	"github.com/brewput/brewput/internal/gobench"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/sweep"
)

// ResumeBench continues the run of benchmarks in the run directory dir, or returns it if it is complete. It uses the
// test binaries and options of the first execution and requires the same machine. Errors are those of [Bench]; a dir
// that cannot be continued is a [*Refusal].
func ResumeBench(ctx context.Context, dir string, notify func(Event)) (*BenchResult, error) {
	run, journal, err := store.Resume(dir)
	if err != nil {
		return nil, sweep.StoreError(err)
	}
	for _, note := range journal.Notes() {
		notifier(notify).send(Warning{note})
	}
	r := &benchRun{notify: notify, dir: dir, run: run}
	defer r.close(ctx)
	if err := r.restore(ctx, journal); err != nil {
		return nil, errors.Join(asRefusal(ctx, err), run.Close())
	}
	r.sweep.Store = run
	return r.execute(ctx)
}

// restore prepares the sweep from a journal.
func (r *benchRun) restore(ctx context.Context, journal *store.Journal) error {
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
	if !journal.Ended {
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
	r.note("continuing with the test binaries that the run began with: " +
		"what changed in the tree since then is not measured")
	return nil
}
