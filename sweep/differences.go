package sweep

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// burnTolerance is the relative difference up to which two calibrations of the burn loop count as equal.
const burnTolerance = 0.01

// comparableWith returns an error if the runs are of two workloads or two worlds, or are live runs of two machines.
func (h *Header) comparableWith(b *Header) error {
	if h.Workload != b.Workload {
		return fmt.Errorf("the old run is of the workload %s, the new one of %s: they do different jobs; compare "+
			"runs of one workload", b.Workload, h.Workload)
	}

	if h.World != b.World {
		return fmt.Errorf("the old run is %s and the new one %s: what was measured and what was calculated are "+
			"compared design by design, not as two versions of a program; give two runs of one world", b.World, h.World)
	}

	if machine := h.Environment.MachineDifferences(b.Environment); len(machine) > 0 && h.World != result.Virtual {
		var all []string
		for _, d := range machine {
			all = append(all, fmt.Sprintf("%s is %s in the old run and %s in the new", d.Name, d.B, d.A))
		}
		return fmt.Errorf("the runs are of two machines: %s; raw values of two machines say nothing about the "+
			"programs: measure both on one", strings.Join(all, ", "))
	}
	return nil
}

// Differences returns the settings of program and run in which h, the newer run, differs from b, the older one. A
// comparison may be about these. warnings name the settings that make values incomparable. Differences returns an
// error if the runs differ in their workload, their world or, if live, their machine.
func (h *Header) Differences(b *Header) (list compare.Differences, warnings []string, err error) {
	if err := h.comparableWith(b); err != nil {
		return nil, nil, err
	}

	virtual := h.World == result.Virtual // virtual time is the same on every machine, and burns are exact
	add := list.Add
	warn := func(format string, args ...any) { warnings = append(warnings, fmt.Sprintf(format, args...)) }
	add("version", h.Version, b.Version)
	for _, d := range h.Environment.ProgramDifferences(b.Environment) {
		add(d.Name, strings.Trim(d.A, `"`), strings.Trim(d.B, `"`))
		if (d.Name == "race" || d.Name == "cover") && !virtual {
			warn("%s is %s in the old run and %s in the new: its checks slow a program down, each design by another "+
				"factor; measure both without", d.Name, d.B, d.A)
		}
	}

	h.Settings.differences(b.Settings, add, warn)

	for _, f := range h.ArrivalFiles {
		i := slices.IndexFunc(b.ArrivalFiles, func(o InputFile) bool { return o.Path == f.Path })
		if i >= 0 && add("arrivals "+f.Path, f.shortSum(), b.ArrivalFiles[i].shortSum()) {
			warn("the file %s held other arrivals in the old run than in the new: they served other customers; "+
				"measure both with one file", f.Path)
		}
	}

	if virtual && h.Costs != b.Costs && add("costs", h.costsText(), b.costsText()) {
		warn("the scheduler takes %s in the old run and %s in the new: designs differ by what they ask of it; "+
			"calculate both with the same costs", b.costsText(), h.costsText())
	}

	if x, y := h.replayedText(), b.replayedText(); add("costs of real code", x, y) {
		warn("the costs of real code are %s in the old run and %s in the new: the code may not be what differs; "+
			"calculate both with one recording", y, x)
	}

	add("seed", h.Seed, b.Seed)
	add("blocks", h.Blocks, b.Blocks)
	if !virtual {
		h.burnDifferences(b, add, warn)
	}
	return list, warnings, nil
}

// differences reports how the settings x of the newer run differ from y, those of the older one.
func (x Settings) differences(y Settings, add func(name string, a, b any) bool,
	warn func(format string, args ...any)) {
	if add("duration", time.Duration(x.Duration), time.Duration(y.Duration)) && x.Operations == 0 && y.Operations == 0 {
		warn("a window is %v long in the old run and %v in the new: start, warm-up and rare stalls weigh differently "+
			"in the two; measure both with the same duration", time.Duration(y.Duration), time.Duration(x.Duration))
	}
	if add("warmup", time.Duration(x.Warmup), time.Duration(y.Warmup)) {
		warn("the warm-up is %v long in the old run and %v in the new: what is slow at first is in one of the two "+
			"only; measure both with the same warm-up", time.Duration(y.Warmup), time.Duration(x.Warmup))
	}
	if add("operations", x.Operations, y.Operations) {
		warn("a trial ends after %d operations in the old run and %d in the new (0: by time): measure both "+
			"with the same number", y.Operations, x.Operations)
	}
	if add("sample", x.Sample, y.Sample) {
		warn("every operation of %d is timed in the old run and of %d in the new: reading the clock costs them "+
			"differently; measure both alike", y.Sample, x.Sample)
	}
}

// burnDifferences reports how much the burn calibrations of two runs differ.
func (h *Header) burnDifferences(b *Header, add func(name string, a, b any) bool,
	warn func(format string, args ...any)) {
	if q := h.Burn.Rate / b.Burn.Rate; q > 1+burnTolerance || q < 1/(1+burnTolerance) {
		add("burn_rate_per_ns", fmt.Sprintf("%.4g", h.Burn.Rate), fmt.Sprintf("%.4g", b.Burn.Rate))
		much, word := 100*(q-1), "more"
		if q < 1 {
			much, word = 100*(1-q), "less"
		}
		warn("the burn loop was calibrated anew between the runs: a burn of 1ms is %.1f%% %s work in the new run, "+
			"and designs that burn differ by as much; measure both again", much, word)
	}
}

// replayedText names the source of the costs of real code.
func (h *Header) replayedText() string {
	if h.ReplayedFile == nil {
		return "measured, if there are any"
	}
	return "of a file, " + h.ReplayedFile.shortSum()
}
