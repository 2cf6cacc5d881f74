package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// The target of predictions of real code: of those that are printed, so many must be within so much of the measurement,
// and so many of the cases must be printed.
const (
	realMargin  = 0.10
	realWithin  = 0.90
	realPrinted = 0.50
)

// stored is what is known of a piece: trials of both worlds, and the cases that were predicted.
type stored struct {
	Name      string
	Measured  []result.Trial
	Predicted []result.Trial
	Cases     []plan.Case // that were measured
	Twin      []plan.Case // that were predicted
}

// readStored reads the complete pieces of the campaign.
func readStored(dir string) (list []stored, err error) {
	for _, p := range pieces() {
		at := filepath.Join(dir, p.name)
		if complete, _ := ended(at); !complete {
			continue
		}
		s := stored{Name: p.name}
		var h sweep.Header
		if s.Measured, h, err = readRun(at); err != nil {
			return nil, err
		}
		s.Cases, s.Twin = h.Cases, h.PredictedCases
		if s.Predicted, _, err = readRun(filepath.Join(at, "twin")); err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

func readRun(dir string) ([]result.Trial, sweep.Header, error) {
	j, err := store.Open(dir)
	if err != nil {
		return nil, sweep.Header{}, err
	}
	h, err := sweep.ReadHeader(dir, j.Header)
	if err != nil {
		return nil, h, err
	}
	return j.Trials, h, h.CheckStored(dir, j.Trials, j.Blocks, j.Interims, !j.Checked)
}

// twins are the predictions of a piece beside their measurements, by the metric that a row is judged by first.
func (s *stored) twins() (list []compare.Prediction) {
	x := lab.Analyze(s.Measured, lab.AnalyzeOptions{Cases: s.Cases, Predictions: s.Predicted, PredictedCases: s.Twin})
	for _, r := range x.Rows {
		if t, ok := r.Prediction(r.PredictedMetric()); ok {
			list = append(list, t)
		}
	}
	return list
}

// realScore is how good the predictions of real code are that are printed.
type realScore struct {
	cases   int
	sizes   []float64 // of the errors of those that are printed
	within  int       // of them, by realMargin
	refused []compare.Prediction
	beyond  []compare.Prediction // printed, and not within realMargin
}

func (s *realScore) add(list []compare.Prediction) {
	for _, t := range list {
		s.cases++
		size := math.Abs(float64(t.Error))
		switch {
		case t.NotModelled != "":
			s.refused = append(s.refused, t)
			continue
		case size <= realMargin:
			s.within++
		default:
			s.beyond = append(s.beyond, t)
		}
		s.sizes = append(s.sizes, size)
	}
}

// printed and good are shares: of the cases, those that are printed, and of these, those within the margin.
func (s *realScore) printed() float64 { return float64(len(s.sizes)) / float64(s.cases) }
func (s *realScore) good() float64    { return float64(s.within) / float64(len(s.sizes)) }

// kept reports whether the target is kept.
func (s *realScore) kept() bool { return s.printed() >= realPrinted && s.good() >= realWithin }

// writeScores prints the score of each piece and of all of them, each case that is refused with its reason, and each
// that is printed and is off. It returns the score of all.
func writeScores(w io.Writer, list []stored) realScore {
	var all realScore
	line := func(name string, s realScore) {
		median := math.NaN()
		if len(s.sizes) > 0 {
			median = stat.Median(slices.Clone(s.sizes))
		}
		fmt.Fprintf(w, "%-18s %3d cases, %3d printed (%s), %3d of them within %.0f%% (%s), median error %s\n", name,
			s.cases, len(s.sizes), percent(s.printed()),
			s.within, 100*realMargin, percent(s.good()), percent(median))
	}
	for i := range list {
		var s realScore
		s.add(list[i].twins())
		all.add(list[i].twins())
		line(list[i].Name, s)
	}
	line("all", all)
	for _, t := range all.beyond {
		fmt.Fprintf(w, "off: %s %s (%s): %s\n", t.Workload, t.Design, t.Point, signed(float64(t.Error)))
	}
	for _, t := range all.refused {
		fmt.Fprintf(w, "not modelled: %s %s (%s): %s\n", t.Workload, t.Design, t.Point, t.NotModelled)
	}
	return all
}
