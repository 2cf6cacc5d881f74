package sweep

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// predictionTimeLimit is the time limit of a predicted trial if the user set none.
const predictionTimeLimit = 10 * time.Minute

// PredictionSweep returns the sweep in virtual time that predicts s, or nil if there is nothing to predict. Its
// cases are the header's predicted cases, which may have more CPUs than this machine.
//
// It runs under the header's costs, with the windows of s and, in an open loop, its rates. Each replication has the
// seed of the block with its number, so both serve the same requests. Burns take their nominal time.
func (s *Sweep) PredictionSweep() (*Sweep, error) {
	if len(s.Header.PredictedCases) == 0 {
		return nil, nil
	}

	h := s.Header
	h.World, h.Instrumented, h.Predicts = result.Virtual, false, true
	h.Cases, h.PredictedCases, h.Warnings = s.Header.PredictedCases, nil, []string{}
	h.Settings.Sample, h.Burn = 1, result.Burn{}
	if !h.Settings.Limited { // a trial of a second on real CPUs may take long to simulate
		h.Settings.TimeLimit = max(h.Settings.TimeLimit, Duration(predictionTimeLimit))
	}

	if h.Rule != nil { // later blocks have no prediction: their number is not known in advance
		h.Blocks, h.Rule = h.Rule.InterimBlocks[0], nil
	}

	t, err := New(s.Workload, h)
	if err != nil {
		return nil, err
	}

	t.Arrivals = s.Arrivals
	if s.LimitChanged { // the prediction has a journal of its own, without the change
		t.RetryLimited = math.MaxInt
	}
	return t, nil
}

// ExecuteWithPrediction executes a sweep and its prediction, and returns the trials of both, as Execute does. If
// prediction is nil it only executes s.
//
// All predicted blocks come first if no predicted trial runs real code, or if s has a budget, which covers only
// measurements. Real code is timed during the prediction, and a machine can be slow for minutes. Therefore each
// block with real code is predicted right before it is measured. A sweep without cases ends after its prediction.
func (s *Sweep) ExecuteWithPrediction(ctx context.Context, prediction *Sweep) (predicted, measured []result.Trial,
	err error) {
	if prediction == nil {
		measured, err = s.Execute(ctx)
		return nil, measured, err
	}

	t, e := prediction.begin(), s.begin()
	defer prediction.forget()
	defer s.forget()
	e.prediction = t
	for more := true; more && err == nil; {
		for ahead := true; ahead && err == nil; ahead = !t.interleaved && !t.over {
			err = t.advancePrediction(ctx, s)
		}
		if err == nil {
			more, err = e.advance(ctx)
		}
	}

	if measured = e.trials; len(measured) < len(s.Done) { // the prediction failed before the stored trials were read
		measured = s.Done
	}
	return t.trials, measured, err
}

// advancePrediction predicts the next block of s, if there is one. After the first block it knows whether trials
// run real code.
func (e *execution) advancePrediction(ctx context.Context, s *Sweep) error {
	if e.over {
		return nil
	}
	more, err := e.advance(ctx)
	e.over = !more
	if e.blocks == 1 {
		e.interleaved = s.Header.Rule == nil && len(s.Plan.Cases) > 0 && slices.ContainsFunc(e.trials,
			func(t result.Trial) bool { return t.RealCode != "" })
	}
	return err
}

// PredictedOnly returns the cases that are predicted and not measured.
func (h *Header) PredictedOnly() []plan.Case {
	var list []plan.Case
	for _, c := range h.PredictedCases {
		if !slices.ContainsFunc(h.Cases, func(m plan.Case) bool {
			return m.Design == c.Design && m.Point.Equal(c.Point)
		}) {
			list = append(list, c)
		}
	}
	return list
}
