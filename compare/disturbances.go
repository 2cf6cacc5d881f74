package compare

import (
	"maps"
	"math"
	"slices"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
)

// share is a ratio of two sums over trials, for the run and for its worst block.
type share struct {
	over, under map[int]float64 // by block
	trials      int
}

// seconds returns the numerator over all blocks.
func (s share) seconds() float64 {
	sum := 0.0
	for _, b := range slices.Sorted(maps.Keys(s.over)) { // a fixed order gives reproducible sums
		sum += s.over[b]
	}
	return sum
}

// beyondTicks reports whether the numerator exceeds the error of counting in ticks. Each trial is off by up to a
// tick at each end, with random sign. A deviation of 5 such errors is practically impossible.
func (s share) beyondTicks() bool {
	return s.seconds() > 5*tickSeconds*math.Sqrt(float64(s.trials))
}

// shareOf sums the two values that of returns for each trial. It skips trials for which ok is false.
func shareOf(trials []result.Trial, of func(*result.Trial) (over, under float64, ok bool)) share {
	s := share{map[int]float64{}, map[int]float64{}, 0}
	for i := range trials {
		if over, under, ok := of(&trials[i]); ok && !math.IsNaN(over+under) {
			s.over[trials[i].Block] += over
			s.under[trials[i].Block] += under
			s.trials++
		}
	}
	return s
}

// worstBlock returns the ratio over all blocks, and the block where it is largest; 0 if nothing is known.
func (s share) worstBlock() (total float64, block int, worst float64) {
	under := 0.0
	for _, b := range slices.Sorted(maps.Keys(s.under)) {
		under += s.under[b]
		if q := s.over[b] / s.under[b]; q > worst {
			block, worst = b, q
		}
	}
	if under <= 0 {
		return 0, 0, 0
	}
	return s.seconds() / under, block, worst
}

// usedSeconds returns the CPU time that a trial used: its own, and that of a server that it started. The latter
// includes the warm-up, so that the time of other processes, which is the rest, is rather too small than too large.
func usedSeconds(t *result.Trial) float64 {
	own := float64(t.Metrics.Get(result.CPUSeconds))
	if server := float64(t.Metrics.Get(result.ServerCPUSeconds)); server > 0 {
		own += server
	}
	return own
}

// otherProcesses warns of CPU time used by other processes: that of the machine less that of the trial.
func otherProcesses(trials []result.Trial) (Warning, bool) {
	taken := shareOf(trials, func(t *result.Trial) (float64, float64, bool) {
		own := float64(t.Metrics.Get(result.CPUSeconds))
		span := own / float64(t.Metrics.Get(result.Parallelism)) // time between the two readings
		others := float64(t.Metrics.Get("machine_cpu_seconds")) - usedSeconds(t)
		if t.Metrics.Get(result.ServerCPUSeconds).Known() { // may be too large; otherwise errors of ticks cancel out
			others = max(0, others)
		}
		return others, span, span > 0
	})
	total, block, worst := taken.worstBlock()
	if total <= otherLoadLimit || !taken.beyondTicks() {
		return Warning{}, false
	}
	return warn(WarnOtherProcesses, total, otherLoadLimit,
		"other processes used %.2f of a CPU during the trials, most in block %d (%.2f); above %.2f they distort "+
			"times: stop them, or use fewer CPUs",
		total, block, worst, otherLoadLimit)
}

func stealTime(trials []result.Trial) (Warning, bool) {
	taken := shareOf(trials, func(t *result.Trial) (float64, float64, bool) {
		stolen, own := float64(t.Metrics.Get("steal_seconds")), usedSeconds(t)
		return stolen, own + stolen, own+stolen > 0
	})
	total, block, worst := taken.worstBlock()
	if total <= stealLimit || !taken.beyondTicks() {
		return Warning{}, false
	}
	return warn(WarnSteal, total, stealLimit,
		"the hypervisor withheld %.1f%% of the requested CPU time, most in block %d (%.1f%%); above %.0f%%, speed "+
			"depends on other virtual machines: measure when they are idle, or on a dedicated machine",
		100*total, block, 100*worst, 100*stealLimit)
}

func throttled(trials []result.Trial) (Warning, bool) {
	periods, hit, known := 0.0, 0, 0
	for i := range trials {
		v := float64(trials[i].Metrics.Get("throttled_periods"))
		if math.IsNaN(v) {
			continue
		}
		known++
		if v > 0 {
			periods += v
			hit++
		}
	}

	if hit == 0 {
		return Warning{}, false
	}

	w, ok := warn(WarnThrottled, periods, 0,
		"the container's CPU limit throttled %d of %d trials, in %.0f periods; even one distorts latencies: raise "+
			"the limit, or use fewer CPUs than it allows",
		hit, known, periods)
	w.setTrials(hit, known)
	return w, ok
}

// clockDrop warns of trials before and after which burns took longer than calibrated. A single slow burn is an
// interrupt or a CPU that was just woken. Two slow burns mean a slower CPU.
func clockDrop(trials []result.Trial) (Warning, bool) {
	var drops []float64
	known := 0
	for i := range trials {
		m := trials[i].Metrics
		slower := min(float64(m.Get("burn_probe_before")), float64(m.Get("burn_probe_after")))
		if ratio := float64(m.Get("burn_pace")); !math.IsNaN(ratio) {
			slower *= ratio // probes are relative to the corrected burn rate of the block
		}
		slower--
		if math.IsNaN(slower) {
			continue
		}
		known++
		if slower > slowerLimit {
			drops = append(drops, slower)
		}
	}

	if len(drops) == 0 || float64(len(drops)) <= slowTrials*float64(known) {
		return Warning{}, false
	}

	drop := stat.Median(drops)
	w, ok := warn(WarnClock, drop, slowerLimit,
		"the CPU was slower than at the start of the run around %d of %d trials, by %.0f%% in their median (limits: "+
			"%.0f%% in %.0f%% of the trials): its clock drops or it is shared; fix the frequency, cool it, or stop "+
			"other programs",
		len(drops), known, 100*drop, 100*slowerLimit, 100*slowTrials)

	w.setTrials(len(drops), known)
	return w, ok
}

// NameBusiest adds the busiest other process that still runs to the warnings of other processes, as text. It adds
// nothing if that is not known and busiest is "".
func NameBusiest(list []Warning, busiest string) []Warning {
	for i := range list {
		if list[i].Warning == WarnOtherProcesses && busiest != "" {
			list[i].Text += "; the busiest that still runs: " + busiest
		}
	}
	return list
}
