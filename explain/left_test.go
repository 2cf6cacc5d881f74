package explain

import (
	"strings"
	"testing"
	"time"
)

// What a second change saves after the first follows from what each changes; see addLeft.
func TestLeft(t *testing.T) {
	gain := func(g float64) *Gain { return newGain(g, g, g) }
	const unknown = -1
	calls := func(name Name, at string, g, garbage float64) Finding {
		return Finding{Name: name, Where: []string{at}, savesCPU: true, Gain: gain(g), garbage: garbage}
	}
	p := wideCase() // a fifth of its CPU time is collection
	p.evidence.Profiles = nil
	p.cpu(40, "runtime.scanobject", "runtime.gcDrain", "runtime.gcBgMarkWorker", "runtime.systemstack")
	p.cpu(80, "main.f:5", "main.worker:3")
	p.cpu(80, "main.g:7", "main.f:5", "main.worker:3")
	p.evidence.Trace.Demand.Time = []time.Duration{0, 0, second}
	a := newAnalysis(&p.evidence)
	low := 0.2
	may := Report{Findings: []Finding{{Name: HotFunction, Confidence: High, Gain: gain(0.5)}, {Name: LibraryLimit,
		Confidence: Low, Gain: &Gain{Estimate: 0.2, Left: &low}}}}.Answer()
	if !strings.Contains(may[len(may)-1], "that may save another 20%") {
		t.Errorf("a second change of low confidence: %q", may)
	}
	for _, c := range []struct {
		name          string
		first, second Finding
		want          float64
	}{
		{"two lines of CPU time", calls(HotFunction, "main.go:5", 0.5, 0), calls(EscapePerOp, "main.go:6", 0.3, 0),
			0.3},
		{"more than remains", calls(HotFunction, "main.go:5", 0.8, 0), calls(EscapePerOp, "main.go:6", 0.4, 0), 0.2},
		{"less than is worth it", calls(HotFunction, "main.go:5", 0.97, 0), calls(EscapePerOp, "main.go:6", 0.3, 0),
			0.03},
		{"calls of a library", calls(LibraryLimit, "main.go:5", 0.5, 0), calls(HotFunction, "main.go:6", 0.3, 0), 0.3},
		{"connections, by waits", Finding{Name: LibraryLimit, local: true, Gain: gain(0.5)},
			calls(HotFunction, "main.go:6", 0.3, 0), unknown},
		{"calls at one line", calls(HotFunction, "main.go:5", 0.5, 0), calls(EscapePerOp, "main.go:5", 0.3, 0),
			unknown},
		{"calls below those calls", calls(HotFunction, "main.go:5", 0.5, 0), calls(EscapePerOp, "main.go:7", 0.3, 0),
			unknown},
		{"half of the garbage each", calls(EscapePerOp, "main.go:5", 0.3, 0.1), calls(EscapePerOp, "main.go:6", 0.3,
			0.1), 0.3},
		{"the same garbage", calls(EscapePerOp, "main.go:5", 0.3, 0.2), calls(EscapePerOp, "main.go:6", 0.3, 0.2), 0.1},
		{"a lock in a library", Finding{Name: LibraryLimit, Gain: gain(0.5)}, calls(HotFunction, "main.go:6", 0.3, 0),
			unknown},
		{"CPUs, then calls", Finding{Name: SingleThreaded, Gain: gain(0.5)}, calls(HotFunction, "main.go:6", 0.4, 0),
			0.2},
		{"calls, then CPUs", calls(HotFunction, "main.go:5", 0.6, 0), Finding{Name: SingleThreaded, Gain: gain(0.5)},
			0.2},
		{"garbage of the same line", calls(EscapePerOp, "main.go:5", 0.5, 0), Finding{Name: GCPressure,
			Gain: gain(0.3)}, unknown},
		{"two waits", Finding{Name: CoarseLock, Gain: gain(0.5)}, Finding{Name: StageLimited, Gain: gain(0.3)},
			unknown},
	} {
		found := []Finding{{Name: GoroutineLeak, Confidence: High}, c.first, {Name: PageFaults}, c.second}
		a.addLeft(found)
		answer := strings.Join(Report{Findings: found}.Answer(), "\n")
		if found[1].Gain.Left != nil {
			t.Errorf("%s: the first has %v left", c.name, *found[1].Gain.Left)
		}
		switch got := found[3].Gain.Left; {
		case (got == nil) != (c.want == unknown), got != nil && *got != c.want:
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		case got == nil && strings.Contains(answer, "Then change"):
			t.Errorf("%s: %q", c.name, answer)
		case got != nil && *got < minGain && strings.Contains(answer, "Then change"):
			t.Errorf("%s: %q", c.name, answer)
		case got != nil && *got >= minGain && !strings.HasSuffix(answer, "Then change "+string(c.second.Name)+
			c.second.place()+": that should save another "+percent(c.want)+" of today's wall time."):
			t.Errorf("%s: %q", c.name, answer)
		}
	}
}
