package command

import (
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// Equip makes a sweep run its trials by the runner, with the time limit of its header, after the setup and the warm-up.
// A nil runner changes nothing.
func (r *Runner) Equip(s *sweep.Sweep) {
	if r != nil {
		s.Begin, s.Run, s.BurnRatio = r.Begin, r.Run, nil
		r.TimeLimit = time.Duration(s.Header.Settings.TimeLimit)
	}
}

// Restore returns the runner of the stored run in dir and the workload of its commands. If it is no run of commands,
// the runner is nil and the workloads are those given.
func Restore(dir string, h *sweep.Header, all []*workload.Workload, note func(string)) (*Runner,
	[]*workload.Workload, error) {
	x, err := Of(dir, h)
	if x == nil || err != nil {
		return nil, all, err
	}
	return &Runner{Experiment: x, Note: note}, []*workload.Workload{x.Workload()}, nil
}

// Analyze computes what the trials of a sweep of commands say; nil for another sweep.
func Analyze(s *sweep.Sweep, trials []result.Trial) *compare.CommandAnalysis {
	x, err := Of("", &s.Header)
	if x == nil || err != nil {
		return nil
	}
	lines := map[string]string{}
	for _, c := range x.Commands {
		lines[c.Design] = c.Line()
	}
	return s.Criteria.Commands(compare.Rows(trials, s.Plan.Cases), trials, x.Names(), lines, s.Header.InterimBlocks())
}
