package sweep

import (
	"context"
	"fmt"
	"slices"

	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
)

// RealCode selects the source of the CPU times of real code in virtual time. The zero value measures them and keeps
// nothing.
type RealCode struct {
	Record string // file to write the costs to; "" for none
	Replay string // file to read them from; "" for none
	Keep   bool   // trials are simulated again later, with the costs of the first time
}

// UseRealCode prepares the costs of real code for a new sweep. Errors are a [*plan.Refusal].
func (s *Sweep) UseRealCode(ctx context.Context, r RealCode) error {
	switch {
	case r.Record != "":
		s.Header.RecordingFile = r.Record
		s.Costs = trial.NewRecording(s.Workload.Name, true)
	case r.Replay != "":
		var err error
		if s.Costs, s.Header.ReplayedFile, err = readCosts(ctx, r.Replay, s.Workload); err != nil {
			return plan.Refuse("replay-costs", nil, "%w", err)
		}
		if err := s.checkCosts(); err != nil {
			return plan.Refuse("replay-costs", r.Replay, "%w", err)
		}
	case r.Keep:
		s.Costs = trial.NewRecording(s.Workload.Name, false)
	}
	return nil
}

// ResumeRealCode prepares the costs of real code for a sweep that is continued from dir. runs says that trials will be
// simulated, again that they may be simulated once more. Errors are a [*plan.Refusal].
func (s *Sweep) ResumeRealCode(ctx context.Context, dir string, runs, again bool) error {
	h := &s.Header
	measured := slices.ContainsFunc(s.Done, func(t result.Trial) bool { return t.RealCode != "" })
	switch {
	case h.World != result.Virtual:
		return nil
	case h.ReplayedFile != nil && !runs: // it is shown again, whatever became of the file
		return nil
	case h.ReplayedFile != nil:
		if err := s.reloadCosts(ctx); err != nil {
			return plan.AsRefusal(err)
		}
		return nil
	case h.RecordingFile != "" && !s.Complete:
		return plan.Refuse("", nil, "%s was recording the costs of its real code in %s, and lost them when it was "+
			"stopped: start a new run", dir, h.RecordingFile)
	case measured && again:
		return plan.Refuse("", nil, "%s measured the costs of its real code, which would differ now: start a new "+
			"run with the same flags and {record-costs} FILE, or {replay-costs} FILE if there is one", dir)
	case measured && runs:
		if err := host.Read().SameMachine(h.Environment); err != nil {
			return plan.Refuse("", nil, "%s measured real code and cannot be continued on this machine: %w", dir, err).
				Suggest("continue it there, or start a new run")
		}
	}
	if again {
		s.Costs = trial.NewRecording(s.Workload.Name, false)
	}
	return nil
}

// WriteRealCode writes the recorded costs of real code, once all of them are there, and returns a note on what it
// wrote; "" if the sweep records none.
func (s *Sweep) WriteRealCode() (note string, err error) {
	path, recorded := s.Header.RecordingFile, s.Costs
	if path == "" || s.Complete {
		return "", nil
	}
	if err := store.Replace(path, recorded.Write); err != nil {
		return "", fmt.Errorf("the costs of real code could not be written: %w", err)
	}
	note = fmt.Sprintf("costs of real code in %s: %s of %s", path, result.Count(recorded.Sections(), "section"),
		result.Count(recorded.Trials(), "trial"))
	if recorded.Sections() == 0 {
		note += "; no design has real code (env.Begin)"
	}
	return note, nil
}
