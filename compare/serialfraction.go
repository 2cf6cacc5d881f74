package compare

import (
	"math"
	"slices"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/model"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// SerialFraction is the experimentally determined serial fraction of a job (Karp and Flatt; see model.KarpFlatt),
// over the blocks that hold both one CPU and several.
type SerialFraction struct {
	Kind          string       `json:"kind"` // "serial"
	SchemaVersion int          `json:"schema_version"`
	Workload      string       `json:"workload"`
	Design        string       `json:"design"`
	World         string       `json:"world"`
	Point         plan.Point   `json:"point"`
	Speedup       result.Value `json:"speedup"` // over one CPU: geometric mean of the blocks' ratios
	// 95% interval: Student's t on their logarithms; null below 2 blocks
	Low  result.Value `json:"low"`
	High result.Value `json:"high"`
	// serial fraction; above 1 for a slow-down, below 0 for a superlinear speed-up
	Share result.Value `json:"serial_share"`
	N     int          `json:"n"` // blocks
}

// AddSerialFractions adds the serial fraction to the row of each job that was also measured on one CPU. If a design
// has as many workers as CPUs, its row on one CPU has one worker.
func AddSerialFractions(rows []Row, trials []result.Trial) {
	good := goodTrials(trials)
	for i := range rows {
		r := &rows[i]
		cpus := levelOf(r.Point, "cpus")
		if !r.Job || r.N == 0 || cpus < 2 {
			continue
		}
		alone := slices.IndexFunc(rows, func(o Row) bool {
			return o.Job && o.N > 0 && o.Workload == r.Workload && o.World == r.World && o.Design == r.Design &&
				onOneCPU(r.Point).Equal(o.Point)
		})
		if alone < 0 {
			continue
		}
		var logs []float64
		ones := good[rowKey(&rows[alone])]
		for _, b := range sortedBlocks(good[rowKey(r)]) {
			if one := ones[b]; one != nil {
				logs = append(logs, math.Log(one.WallSeconds/good[rowKey(r)][b].WallSeconds))
			}
		}
		if s, ok := newSerial(r, cpus, logs); ok {
			r.SerialFraction = &s
		}
	}
}

func newSerial(r *Row, cpus int, logs []float64) (s SerialFraction, ok bool) {
	if len(logs) == 0 {
		return s, false
	}
	speedup := math.Exp(stat.Mean(logs))
	share, ok := model.KarpFlatt(speedup, cpus)
	s = SerialFraction{Kind: "serial", SchemaVersion: result.SchemaVersion, Workload: r.Workload, Design: r.Design,
		World: r.World, Point: r.Point,
		Speedup: result.Value(speedup), Share: result.Value(share), Low: result.Unavailable, High: result.Unavailable,
		N: len(logs)}
	if c, ok := stat.ComparePaired(logs, ratioConfidence); ok {
		s.Low, s.High = result.Value(c.Low), result.Value(c.High)
	}
	return s, ok
}

// onOneCPU returns the point with one CPU, and with one worker if workers equal CPUs.
func onOneCPU(p plan.Point) plan.Point {
	if p.Has("workers") && levelOf(p, "workers") == levelOf(p, "cpus") {
		p = p.With("workers", plan.IntLevel(1))
	}
	return p.With("cpus", plan.IntLevel(1))
}

// levelOf returns the integer level of a factor; 0 without one.
func levelOf(p plan.Point, factor string) int {
	if !p.Has(factor) {
		return 0
	}
	return p.Int(factor)
}
