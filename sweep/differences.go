package sweep

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/workload"
)

// burnTolerance is the relative difference up to which two calibrations of the burn loop count as equal.
const burnTolerance = 0.01

// comparableWith returns an error if the runs are of two workloads or two worlds, or are live runs of two machines.
func (h *Header) comparableWith(b *Header) error {
	if h.Workload != b.Workload {
		return fmt.Errorf("the old run has the workload %s, and the new one has %s; compare runs of one "+
			"workload", b.Workload, h.Workload)
	}

	if h.World != b.World {
		return fmt.Errorf("the old run is %s and the new one is %s: measured and simulated runs cannot be compared "+
			"as two versions of a program; give two live runs or two virtual ones", b.World, h.World)
	}

	if machine := h.Environment.MachineDifferences(b.Environment); len(machine) > 0 && h.World != result.Virtual {
		var all []string
		for _, d := range machine {
			all = append(all, fmt.Sprintf("%s is %s in the old run and %s in the new", d.Name, d.B, d.A))
		}
		return fmt.Errorf("the runs are from two machines: %s; their times say nothing about the programs: measure "+
			"both on one machine", strings.Join(all, ", "))
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
	for _, d := range h.comparedEnvironment().ProgramDifferences(b.comparedEnvironment()) {
		add(d.Name, strings.Trim(d.A, `"`), strings.Trim(d.B, `"`))
		if (d.Name == "race" || d.Name == "cover") && !virtual {
			warn("%s is %s in the old run and %s in the new: its checks slow each design by a different factor; "+
				"measure both without it", d.Name, d.B, d.A)
		}
	}

	h.Settings.differences(b.Settings, add, warn)

	for _, f := range h.ArrivalFiles {
		i := slices.IndexFunc(b.ArrivalFiles, func(o InputFile) bool { return o.Path == f.Path })
		if i >= 0 && add("arrivals "+f.Path, f.shortSum(), b.ArrivalFiles[i].shortSum()) {
			warn("the file %s held different arrivals in the two runs; measure both with the same file", f.Path)
		}
	}

	h.inputDifferences(b, add)

	if virtual && h.Costs != b.Costs && add("costs", h.costsText(), b.costsText()) {
		warn("the scheduler's costs are %s in the old run and %s in the new, which affects each design differently; "+
			"simulate both with the same costs", b.costsText(), h.costsText())
	}

	if x, y := h.replayedText(), b.replayedText(); add("costs of real code", x, y) {
		warn("the costs of real code are %s in the old run and %s in the new, so the difference may not be in the "+
			"code; simulate both with one recording", y, x)
	}

	options := workload.Given{}
	maps.Copy(options, h.Given)
	maps.Copy(options, b.Given)
	for _, name := range slices.Sorted(maps.Keys(options)) {
		x, y := givenText(name, h.Given[name]), givenText(name, b.Given[name])
		if x == y && !slices.Equal(h.Given[name], b.Given[name]) {
			x, y = x+" (new value)", y+" (old value)"
		}
		add(name, x, y)
	}
	add("seed", h.Seed, b.Seed)
	add("blocks", h.Blocks, b.Blocks)
	if !virtual {
		h.burnDifferences(b, add, warn)
	}
	return list, warnings, nil
}

// inputDifferences reports files of the workload with the same name and other contents, wherever they are. Of files
// with one name, the first is compared with the first, and so on.
func (h *Header) inputDifferences(b *Header, add func(name string, a, b any) bool) {
	seen := map[string]int{}
	for _, f := range h.Inputs {
		name := filepath.Base(f.Path)
		n := seen[name]
		seen[name]++
		same := slices.DeleteFunc(slices.Clone(b.Inputs), func(o InputFile) bool {
			return filepath.Base(o.Path) != name
		})
		if n < len(same) {
			add("content of "+name, f.shortSum(), same[n].shortSum())
		}
	}
}

// givenText returns the values of an option without passwords. Values of headers are often tokens, so that only their
// names remain.
func givenText(name string, values []string) string {
	var all []string
	for _, v := range values {
		if name == "header" {
			v = strings.TrimSpace(v[:strings.IndexAny(v+":", ":=")])
		}
		all = append(all, input.Redact(v))
	}
	return strings.Join(all, " ")
}

// differences reports how the settings x of the newer run differ from y, those of the older one.
func (x Settings) differences(y Settings, add func(name string, a, b any) bool,
	warn func(format string, args ...any)) {
	if add("duration", time.Duration(x.Duration), time.Duration(y.Duration)) && x.Operations == 0 && y.Operations == 0 {
		warn("the window is %v in the old run and %v in the new, so start-up and rare stalls have different "+
			"weights; measure both with the same duration", time.Duration(y.Duration), time.Duration(x.Duration))
	}
	if add("warmup", time.Duration(x.Warmup), time.Duration(y.Warmup)) {
		warn("the warm-up is %v in the old run and %v in the new, so only one may include a slow start; measure "+
			"both with the same warm-up", time.Duration(y.Warmup), time.Duration(x.Warmup))
	}
	if add("operations", x.Operations, y.Operations) {
		warn("a trial ends after %d operations in the old run and %d in the new (0: by time): measure both "+
			"with the same number", y.Operations, x.Operations)
	}
	if add("sample", x.Sample, y.Sample) {
		warn("one operation in %d is timed in the old run and one in %d in the new, so reading the clock costs them "+
			"differently; measure both with the same sampling", y.Sample, x.Sample)
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
		warn("the burn loop was recalibrated between the runs: a burn of 1ms is %.1f%% %s work in the new run, "+
			"which changes designs that burn; measure both again", much, word)
	}
}

// replayedText names the source of the costs of real code.
func (h *Header) replayedText() string {
	if h.ReplayedFile == nil {
		return "measured, if there are any"
	}
	return "of a file, " + h.ReplayedFile.shortSum()
}
