package lab

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/trial"
)

// costsFrom says where a new run in virtual time has the costs of real code from.
func (r *Run) costsFrom(ctx context.Context, o *SimulateOptions) error {
	s := r.sweep
	switch {
	case o.RecordCosts != "":
		s.Header.RecordingFile = o.RecordCosts
		s.Costs = trial.NewRecording(s.Workload.Name, true)
	case o.ReplayCosts != "":
		var err error
		if s.Costs, s.Header.ReplayedFile, err = sweep.ReadCosts(ctx, o.ReplayCosts, s.Workload); err != nil {
			return refuse("replay-costs", nil, "%w", err)
		}
		if err := s.CheckCosts(); err != nil {
			return refuse("replay-costs", o.ReplayCosts, "%w", err)
		}
	case o.Again:
		s.Costs = trial.NewRecording(s.Workload.Name, false)
	}
	return nil
}

// resumeCosts does the same for a run that goes on; runs says that trials will be calculated, again that they may be
// calculated once more.
func (r *Run) resumeCosts(ctx context.Context, runs, again bool) error {
	s := r.sweep
	switch measured := slices.ContainsFunc(s.Done, func(t result.Trial) bool { return t.RealCode != "" }); {
	case s.Header.World != result.Virtual:
		return nil
	case s.Header.ReplayedFile != nil && !runs: // it is shown again, whatever became of the file
		return nil
	case s.Header.ReplayedFile != nil:
		if err := s.ReloadCosts(ctx); err != nil {
			return refuse("", nil, "%w", err)
		}
		return nil
	case s.Header.RecordingFile != "" && !s.Complete:
		return refuse("", nil, "%s was to end with the costs of its real code in %s, and those measured before it was "+
			"stopped are lost: start a new run", r.Dir, s.Header.RecordingFile)
	case measured && again:
		return refuse("", nil, "%s measured its real code, which would cost something else now: start a new run with "+
			"{record-costs} FILE, or with {replay-costs} FILE where there is one, and these flags", r.Dir)
	case measured && runs:
		if err := host.Read().SameMachine(s.Header.Environment); err != nil {
			return refuse("", nil, "%s measured real code and cannot be continued on this machine: %w", r.Dir, err).
				suggest("continue it there, or start a new run")
		}
	}
	if again {
		s.Costs = trial.NewRecording(s.Workload.Name, false)
	}
	return nil
}

// writeCosts writes what the real code of a run cost, once all of it is calculated.
func (r *Run) writeCosts() error {
	path, recorded := r.sweep.Header.RecordingFile, r.sweep.Costs
	if path == "" || r.sweep.Complete {
		return nil
	}
	if err := store.Replace(path, recorded.Write); err != nil {
		return fmt.Errorf("the costs of real code could not be written: %w", err)
	}
	text := fmt.Sprintf("costs of real code in %s: %s of %s", path, result.Count(recorded.Sections(), "section"),
		result.Count(recorded.Trials(), "trial"))
	if recorded.Sections() == 0 {
		text += "; no design has real code (env.Begin)"
	}
	r.notify.send(Note{text})
	return nil
}

// Sensitivity calculates all trials again with each of the scheduler's costs x 1/2 and x 2, and those that do not
// repeat themselves with one burn that lasts longer, and says by how much the results change. Only runs in virtual time
// have one. The result goes to [Run.Analyze].
func (r *Run) Sensitivity(ctx context.Context) ([]compare.Sensitivity, error) {
	s, limit := r.sweep, time.Duration(r.Header.Settings.TimeLimit)
	costs, err := sim.ParseCosts(s.Header.Costs)
	if err != nil {
		return nil, err
	}
	var variants []sweep.Variant
	for _, name := range costs.Names() {
		for _, by := range [][2]int64{{1, 2}, {2, 1}} {
			m := trial.NewSimulations(s.Workload, costs.Scaled(name, by[0], by[1]), limit)
			variants = append(variants, sweep.Variant{Cost: name, Factor: float64(by[0]) / float64(by[1]), Run: m.Run,
				Ahead: m.Ahead})
		}
	}
	text := "sensitivity: all is calculated %d times more, with one cost x 1/2 or x 2"
	r.notify.send(Note{fmt.Sprintf(text, len(variants))})
	if n := sweep.CountUndisturbed(r.Trials); n > 0 {
		for i := range trial.Delays {
			m := trial.NewSimulations(s.Workload, costs, limit)
			variants = append(variants, sweep.Variant{Delay: trial.Delay(i), Part: (float64(i) + 0.5) / trial.Delays,
				Run: m.Run, Ahead: m.Ahead})
		}
		text := "sensitivity: %s that do not repeat themselves are calculated %d times more, with one burn that " +
			"lasts longer"
		r.notify.send(Note{fmt.Sprintf(text, result.Count(n, "trial"), trial.Delays)})
	}
	before := s.Costs.Sections()
	list, err := s.Sensitivities(ctx, r.Trials, variants)
	if err == nil && s.Costs.Sections() > before { // where it goes faster more is done
		err = r.writeCosts()
	}
	return list, err
}
