package compare

import (
	"math"
	"slices"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/model"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// Serial is what part of a job's time on one CPU more of them do not shorten, by Karp and Flatt (model.KarpFlatt), of
// the blocks in which the design ran on both.
type SerialFraction struct {
	Kind          string       `json:"kind"` // "serial"
	SchemaVersion int          `json:"schema_version"`
	Workload      string       `json:"workload"`
	Design        string       `json:"design"`
	World         string       `json:"world"`
	Point         plan.Point   `json:"point"`
	Speedup       result.Value `json:"speedup"` // beside one CPU: the geometric mean of the blocks' ratios
	// its 95 % interval, Student's t on their logarithms; null below 2 blocks
	Low  result.Value `json:"low"`
	High result.Value `json:"high"`
	// of the speedup; above 1 if it is slower, below 0 if it is faster than its CPUs
	Share result.Value `json:"serial_share"`
	N     int          `json:"n"` // blocks
}

// AddSerialFractions sets beside the row of each job that ran on one CPU too what its serial share is. Of designs whose workers
// are as many as the CPUs that one had one worker.
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
				onOneCPU(r.Point).String() == o.Point.String()
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

// onOneCPU is a point with one CPU, and one worker if they are as many as the CPUs.
func onOneCPU(p plan.Point) plan.Point {
	if p.Has("workers") && levelOf(p, "workers") == levelOf(p, "cpus") {
		p = p.With("workers", plan.IntLevel(1))
	}
	return p.With("cpus", plan.IntLevel(1))
}

// levelOf is the level of a factor that counts something, 0 where it has none.
func levelOf(p plan.Point, factor string) int {
	if !p.Has(factor) {
		return 0
	}
	return p.Int(factor)
}
