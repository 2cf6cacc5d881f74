package main

import (
	"math"
	"slices"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
)

// target is the largest allowed error of predictions.
type target struct {
	median, p90 float64 // of the absolute errors
	worst       float64 // of each absolute error, less the half-width of the measurement's interval
}

// Names of targets.
const (
	ofThroughput = "throughput"
	ofLatency    = "mean latency"
	ofShapes     = "other shapes" // throughput of these
)

// targets has all three limits for coffee, those of latency 1.5 times as large, and only the median for other shapes.
var targets = map[string]target{
	ofThroughput: {0.02, 0.04, 0.06},
	ofLatency:    {0.03, 0.06, 0.09},
	ofShapes:     {0.05, math.Inf(1), math.Inf(1)},
}

// point is one prediction with its measurement.
type point struct {
	compare.Prediction
	half  float64 // half-width of the 95% interval of the measurement alone; NaN below 2 trials
	probe float64 // median relative excess of the length of burns over the calibrated length
}

// size is the absolute error.
func (p point) size() float64 { return math.Abs(float64(p.Error)) }

// score summarizes the errors of some points.
type score struct {
	points             []point // the worst first
	median, p90, worst float64
	beyond             float64 // largest absolute error less the half-width of its measurement
	misses             int     // points above the target of the worst
}

// points returns the predictions of a metric. The trials are the measured ones.
func points(rows []compare.Row, trials []result.Trial, metric string) []point {
	var list []point
	for i := range rows {
		t, ok := rows[i].Prediction(metric)
		if !ok {
			continue
		}
		p := point{Prediction: t, half: math.NaN()}
		var logs, probes []float64
		for j := range trials {
			x := &trials[j]
			if x.Kind != result.KindTrial || x.Design != t.Design || !x.Point.Equal(t.Point) || !x.Good() {
				continue
			}
			v := float64(x.Metrics.Get(metric))
			if metric == result.Throughput {
				v = x.Progress / x.WallSeconds
			}
			logs = append(logs, math.Log(v))
			probes = append(probes, float64(x.Metrics.Get("burn_probe_before")+x.Metrics.Get("burn_probe_after"))/2-1)
		}
		if c, ok := stat.ComparePaired(logs, 0.95); ok {
			p.half = math.Sqrt(c.High/c.Low) - 1
		}
		if len(probes) > 0 {
			p.probe = stat.Median(probes)
		}
		list = append(list, p)
	}
	return list
}

// newScore summarizes the errors of points, against a target.
func newScore(list []point, t target) score {
	s := score{points: slices.Clone(list)}
	if len(list) == 0 {
		return s
	}
	slices.SortStableFunc(s.points, func(a, b point) int {
		switch {
		case a.size() > b.size():
			return -1
		case a.size() < b.size():
			return 1
		}
		return 0
	})
	sizes := make([]float64, len(list))
	for i, p := range s.points {
		sizes[len(list)-1-i] = p.size() // increasing
		s.beyond = max(s.beyond, p.size()-p.margin())
		if p.size()-p.margin() > t.worst {
			s.misses++
		}
	}
	s.median, s.worst = stat.Median(sizes), sizes[len(sizes)-1]
	s.p90 = sizes[int(math.Ceil(0.9*float64(len(sizes))))-1]
	return s
}

// margin is the uncertainty of the measurement, 0 if unknown.
func (p point) margin() float64 {
	if math.IsNaN(p.half) {
		return 0
	}
	return p.half
}

// meets reports whether a score meets a target.
func (s score) meets(t target) bool {
	return len(s.points) > 0 && s.median <= t.median && s.p90 <= t.p90 && s.misses == 0
}
