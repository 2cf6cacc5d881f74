package compare

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/brewput/brewput/result"
)

// TestCommandGate checks decisions on both sides of the limit, with the reasons in the answer and in the records.
func TestCommandGate(t *testing.T) {
	base := noisy(0.1, 0)
	four := 4
	for interims, want := range map[*int]string{nil: "(option count)", &four: "(option count and no budget)"} {
		text := gateSentence(&GateDecision{Decision: Undecided, N: 10, Low: 0.9, High: 1.2, MaxRegression: 0.05},
			&Verdict{N: 10, Interims: interims, Low: 0.9, High: 1.2}, "./a", "./b", false)
		if !strings.HasSuffix(text, "; more blocks "+want+" would make this interval narrower") {
			t.Error(text)
		}
	}
	for _, c := range []struct {
		head     []float64
		limit    float64
		others   result.Value // CPUs that other processes use
		decision string
		reason   string
	}{
		{noisy(0.1, 3), 0.05, 0, Pass, "the time of ./a differs from that of ./b by "},
		{noisy(0.08, 3), 0, 0, Pass, ", and 0% more is allowed."},
		{noisy(0.12, 3), 0.05, 0, Fail, ", and 5% more is allowed."},
		{noisy(0.12, 3), 0.25, 0, Pass, ", and 25% more is allowed."},
		{noisy(0.12, 3), 0.2, 0, Undecided, "; more blocks (option count) would make this interval narrower."},
		{noisy(0.12, 3)[:3], 0.05, 0, Undecided, "3 blocks of ./a and ./b are too few: at least 6 are needed."},
		{noisy(0.12, 3), 0.05, 1.5, Undecided, "undecided: other processes loaded the machine: stop them, or " +
			"compare on an idle one."},
		{noisy(0.12, 3)[:1], 0.05, 0, Undecided, "fewer than 2 blocks are complete."},
	} {
		a := analyzed(t, 100e6, map[string][]float64{"b": base, "a": c.head})
		if c.others > 0 {
			a.Warnings = append(a.Warnings, NewWarning("command", WarnOtherProcesses, "others"))
		}
		decision := a.Gate(c.limit)
		last := a.Answer[len(a.Answer)-1]
		if decision != c.decision || !strings.HasPrefix(last, "gate: "+c.decision+": ") ||
			!strings.HasSuffix(last, c.reason) && !strings.Contains(last, c.reason) {
			t.Errorf("%v: %s, %s", c, decision, last)
		}

		if shown := a.Conclusion(); len(shown) != 1 || shown[0] != last {
			t.Errorf("the page ends with %q, want only %q", shown, last)
		}

		records := a.Records()
		overall, _ := json.Marshal(records[len(records)-2])
		if want := fmt.Sprintf(`{"kind":"gate-decision","schema_version":1,"decision":%q,"limit":%v,"not_judged":[],`+
			`"notes":[]}`, c.decision, c.limit); string(overall) != want {
			t.Errorf("%s, want %s", overall, want)
		}
		d, ok := records[len(records)-3].(GateDecision)
		if ok != (len(c.head) > 1) || ok && (d.Kind != "gate" || d.Design != "a" || d.Decision != c.decision ||
			d.MaxRegression != c.limit || d.Metric != result.WallSeconds || math.Abs(float64(d.Base)-0.1) > 0.002 ||
			d.Base == d.Head) {
			t.Errorf("%v: %+v", c, d)
		}
	}
}

// TestCommandGateOfMany checks that one command above the limit fails the gate of all.
func TestCommandGateOfMany(t *testing.T) {
	c := analyzed(t, 100e6, map[string][]float64{"b": noisy(0.1, 0), "a": noisy(0.1, 3), "c": noisy(0.3, 5)})
	if got := c.Gate(0.05); got != Fail || len(c.Answer) != 4 || !strings.HasPrefix(c.Answer[2], "gate: pass: ") ||
		!strings.HasPrefix(c.Answer[3], "gate: fail: ") {
		t.Errorf("%s, %q", got, c.Answer)
	}
}
