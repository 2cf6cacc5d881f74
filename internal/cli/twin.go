package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// casesHere refuses CPUs that this machine lacks where they cannot be predicted either.
func (o *runOptions) casesHere(w *workload.Workload, cases []plan.Case) error {
	have := runtime.NumCPU()
	for _, c := range cases {
		n := c.Point.Int("cpus")
		d, _ := w.Find(c.Design)
		switch {
		case n <= have || o.oversubscribe:
		case o.noTwin:
			return usage("--cpus %d: this machine has %d CPUs; calculate it with %s sim %s --cpus %d, or "+
				"add --oversubscribe", n, have, name(), w.Name, n)
		case d.Worlds == workload.LiveOnly:
			return usage("--cpus %d: this machine has %d CPUs, and %s/%s has no virtual world in which more could be "+
				"predicted: leave it out with --designs, or add --oversubscribe", n, have, w.Name, d.Name)
		case n > sim.MaxCPUs:
			return usage("--cpus %d: this machine has %d CPUs, and the simulation at most %d: give no more than those",
				n, have, sim.MaxCPUs)
		}
	}
	return nil
}

// twin divides cases into those that are measured and those that are predicted: both, where a case can be measured
// here. What is measured on CPUs that are not there is no prediction's business.
func (o *runOptions) twin(w *workload.Workload, cases []plan.Case) (measured, predicted []plan.Case) {
	for _, c := range cases {
		here := c.Point.Int("cpus") <= runtime.NumCPU()
		if here || o.oversubscribe {
			measured = append(measured, c)
		}
		if d, _ := w.Find(c.Design); !o.noTwin && d.Worlds != workload.LiveOnly && (here || !o.oversubscribe) {
			predicted = append(predicted, c)
		}
	}
	return measured, predicted
}

// worthTelling is how long predictions must take for the time to be announced.
const worthTelling = 10 * time.Second

// twinOf opens the twin of a sweep, which is executed with it: a run in virtual time in the directory of the run that
// it belongs to. What it holds already is not calculated again. It is nil where there is nothing to predict, or the
// twin of a complete run is gone. Each of its finished blocks is given to the output.
func (a *app) twinOf(s *sweep.Sweep, dir string, out *output, progress *progress) (*sweep.Sweep, *store.Run, error) {
	t, err := s.Twin()
	if t == nil || err != nil {
		return nil, nil, err
	}
	dir = filepath.Join(dir, twinName)
	run, err := a.openTwin(t, dir, s.Complete)
	if run == nil {
		if err == nil {
			fmt.Fprintf(a.stderr, "warning: %s is gone, and with it what was predicted\n", dir)
		}
		return nil, nil, err
	}
	began, first, told := time.Now(), len(t.Done), false
	t.Notify = func(e sweep.Event) {
		if e.Trials != nil {
			out.predicted(inTwin(e.Trials))
			return
		}
		if done := e.Done - first; done > 0 && !told {
			if left := time.Since(began) / time.Duration(done) * time.Duration(e.Total-e.Done); left >= worthTelling {
				told = true
				progress.clear()
				fmt.Fprintf(a.stderr, "predictions take about %s more (--no-twin leaves them out)\n",
					roundDuration(left))
			}
		}
		progress.show(e)
	}
	t.Store = run
	return t, run, nil
}

// twinName is the directory of a twin within that of its run.
const twinName = "twin"

// inTwin are trials of a twin as the run shows them that it belongs to: files are named from its directory.
func inTwin(trials []result.Trial) []result.Trial {
	trials = slices.Clone(trials)
	for i := range trials {
		if t := &trials[i]; t.Failure != "" {
			t.Failure = twinName + "/" + t.Failure
		}
	}
	return trials
}

// isTwin refuses the twin of another run. want is the header that the run's own has, but for the time limit, which may
// be changed. Of the headers of twins from before journals had checksums only the run that they belong to is compared.
func isTwin(dir string, want *sweep.Header, j *store.Journal) error {
	var h sweep.Header
	if err := json.Unmarshal(j.Header, &h); err != nil {
		return usage("%s is not a run of brewput: its header cannot be read: %w", dir, err)
	}
	fixed := func(s sweep.Settings) string {
		s.TimeLimit, s.Limited = 0, false
		text, _ := json.Marshal(s) // of numbers and words: it cannot fail
		return string(text)
	}
	wrong := ""
	switch at := func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }; {
	case !h.Started.Equal(want.Started):
		wrong = fmt.Sprintf("its run began at %s, and this one at %s", at(h.Started), at(want.Started))
	case !j.Checked:
	case h.Workload != want.Workload || h.World != want.World || !h.Predicts || h.Seed != want.Seed:
		wrong = fmt.Sprintf("it is of %s in a world that is %s, with the seed %s", h.Workload, h.World, h.Seed)
	case fixed(h.Settings) != fixed(want.Settings):
		wrong = fmt.Sprintf("its settings are %s, and those of the run %s", fixed(h.Settings), fixed(want.Settings))
	case h.Costs != want.Costs || h.CostsFrom != want.CostsFrom:
		wrong = fmt.Sprintf("its costs are %s (%s), and those of the run %s (%s)", h.Costs, h.CostsFrom, want.Costs,
			want.CostsFrom)
	case h.Burn != want.Burn:
		wrong = "its burn loop was calibrated, and a prediction has none"
	}
	if wrong == "" {
		return nil
	}
	return usage("%s is not the twin of this run: %s; put back the twin that was there, or remove %s: an incomplete "+
		"run predicts it again, and a complete one is shown without", dir, wrong, quoted(dir))
}

// openTwin opens the run of a twin, which takes in what is there. It is nil where that of a complete run is gone.
func (a *app) openTwin(t *sweep.Sweep, dir string, complete bool) (*store.Run, error) {
	if store.Vacant(dir) == nil {
		if complete {
			return nil, nil
		}
		run, err := store.Create(dir, t.Header)
		if err != nil {
			return nil, storeError(err)
		}
		return run, nil
	}
	run, journal, err := store.Resume(dir)
	if err != nil {
		return nil, storeError(err)
	}
	a.notes(journal)
	err = isTwin(dir, &t.Header, journal)
	if err == nil {
		err = fitsPlan(dir, &t.Header, journal)
	}
	if err != nil {
		return nil, closing(run, err)
	}
	t.Continue(journal.Trials, journal.Blocks, journal.Ended)
	return run, nil
}
