package sweep

import (
	"context"
	"slices"
	"time"

	"github.com/brewput/brewput/internal/calibrate"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// longPrediction is how long a trial of a twin may take to calculate where the user set no limit.
const predictionTimeLimit = 10 * time.Minute

// Twin is the sweep in virtual time that predicts what s measures, and what lies beyond the CPUs of its machine: the
// cases of the header's twin under the header's costs, each replication with the seed of the block of its number, and
// so with the same customers; with the same windows, and in an open loop at the same rates. Work takes what the
// design says, not what the burn loop was calibrated to. It is nil where nothing is to be predicted.
func (s *Sweep) PredictionSweep() (*Sweep, error) {
	if len(s.Header.PredictedCases) == 0 {
		return nil, nil
	}
	h := s.Header
	h.World, h.Instrumented, h.Predicts = result.Virtual, false, true
	h.Cases, h.PredictedCases, h.Warnings = s.Header.PredictedCases, nil, []string{}
	h.Settings.Sample, h.Burn = 1, calibrate.Burn{}
	if !h.Settings.Limited { // what is over in a second of real CPUs may take long to calculate
		h.Settings.TimeLimit = max(h.Settings.TimeLimit, Duration(predictionTimeLimit))
	}
	if h.Rule != nil { // later blocks stay without a prediction: how many there will be is not known
		h.Blocks, h.Rule = h.Rule.InterimBlocks[0], nil
	}
	t, err := New(s.Workload, h)
	if err != nil {
		return nil, err
	}
	t.Arrivals, t.RetryLimited = s.Arrivals, s.RetryLimited
	return t, nil
}

// ExecuteWithPrediction executes a sweep and its twin, whose blocks come first: all of them where nothing that they predict
// runs real code, or where s has a budget, which is not theirs. Real code takes the time that it takes now, in the
// prediction as in the measurement, and a machine is slower for minutes: of its blocks, each is predicted right before
// it is measured. Without a twin it is Execute. It returns what Execute would of both.
func (s *Sweep) ExecuteWithPrediction(ctx context.Context, twin *Sweep) (predicted, measured []result.Trial, err error) {
	if twin == nil {
		measured, err = s.Execute(ctx)
		return nil, measured, err
	}
	t, e := twin.begin(), s.begin()
	e.prediction = t
	for more := true; more && err == nil; {
		for ahead := true; ahead && err == nil; ahead = !t.interleaved && !t.over {
			err = t.advancePrediction(ctx, s)
		}
		if err == nil {
			more, err = e.advance(ctx)
		}
	}
	for !t.over && err == nil { // nothing of it could be measured
		err = t.advancePrediction(ctx, s)
	}
	if measured = e.trials; len(measured) < len(s.Done) { // the twin failed before they had their turn
		measured = s.Done
	}
	return t.trials, measured, err
}

// advanceTwin predicts the next block of s, if there is one. After the first it is known what runs real code.
func (e *execution) advancePrediction(ctx context.Context, s *Sweep) error {
	if e.over {
		return nil
	}
	more, err := e.advance(ctx)
	e.over = !more
	if e.blocks == 1 {
		e.interleaved = s.Header.Rule == nil && slices.ContainsFunc(e.trials,
			func(t result.Trial) bool { return t.RealCode != "" })
	}
	return err
}

// Beyond are the cases that are predicted and not measured.
func (h *Header) PredictedOnly() []plan.Case {
	var list []plan.Case
	for _, c := range h.PredictedCases {
		if !slices.ContainsFunc(h.Cases, func(m plan.Case) bool {
			return m.Design == c.Design && m.Point.String() == c.Point.String()
		}) {
			list = append(list, c)
		}
	}
	return list
}
