package explain

import (
	"strings"
	"testing"
)

// What a second change saves after the first follows from what each changes; see addLeft.
func TestLeft(t *testing.T) {
	gain := func(g float64) *Gain { return newGain(g, g, g) }
	const unknown = -1
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
		{"two lines of CPU time", Finding{Name: HotFunction, Gain: gain(0.5)}, Finding{Name: EscapePerOp,
			Gain: gain(0.3)}, 0.3},
		{"more than remains", Finding{Name: HotFunction, Gain: gain(0.8)}, Finding{Name: EscapePerOp,
			Gain: gain(0.4)}, 0.2},
		{"calls of a library", Finding{Name: LibraryLimit, local: true, Level: ProfileLevel, Gain: gain(0.5)},
			Finding{Name: HotFunction, Gain: gain(0.3)}, 0.3},
		{"connections, by waits", Finding{Name: LibraryLimit, local: true, Level: TraceLevel, Gain: gain(0.5)},
			Finding{Name: HotFunction, Gain: gain(0.3)}, unknown},
		{"calls at one line", Finding{Name: HotFunction, Where: []string{"a.go:1"}, Gain: gain(0.5)},
			Finding{Name: EscapePerOp, Where: []string{"a.go:1"}, Gain: gain(0.3)}, unknown},
		{"a lock in a library", Finding{Name: LibraryLimit, Gain: gain(0.5)}, Finding{Name: HotFunction,
			Gain: gain(0.3)}, unknown},
		{"CPUs, then calls", Finding{Name: SingleThreaded, Gain: gain(0.5)}, Finding{Name: HotFunction,
			Gain: gain(0.4)}, 0.2},
		{"calls, then CPUs", Finding{Name: HotFunction, Gain: gain(0.6)}, Finding{Name: SingleThreaded,
			Gain: gain(0.5)}, 0.2},
		{"garbage of the same line", Finding{Name: EscapePerOp, Gain: gain(0.5)}, Finding{Name: GCPressure,
			Gain: gain(0.3)}, unknown},
		{"two waits", Finding{Name: CoarseLock, Gain: gain(0.5)}, Finding{Name: StageLimited, Gain: gain(0.3)},
			unknown},
	} {
		found := []Finding{{Name: GoroutineLeak, Confidence: High}, c.first, {Name: PageFaults}, c.second}
		addLeft(found)
		answer := strings.Join(Report{Findings: found}.Answer(), "\n")
		if found[1].Gain.Left != nil {
			t.Errorf("%s: the first has %v left", c.name, *found[1].Gain.Left)
		}
		switch got := found[3].Gain.Left; {
		case (got == nil) != (c.want == unknown), got != nil && *got != c.want:
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		case got == nil && strings.Contains(answer, "Then change"):
			t.Errorf("%s: %q", c.name, answer)
		case got != nil && !strings.HasSuffix(answer, "Then change "+string(c.second.Name)+
			": that should save another "+percent(c.want)+" of today's wall time."):
			t.Errorf("%s: %q", c.name, answer)
		}
	}
}
