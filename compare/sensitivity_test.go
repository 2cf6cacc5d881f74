package compare

import (
	"math"
	"strings"
	"testing"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

func TestSensitivities(t *testing.T) {
	cases := []plan.Case{caseOf("a"), caseOf("b")}
	rows := func(a, b float64) []Row {
		return Rows([]result.Trial{replication("a", 0, a-1, 0), replication("a", 1, a+1, 0), replication("b", 0, b, 0)},
			cases)
	}
	varied := []VariedRun{{"wake", 0.5, rows(103, 500)}, {"wake", 2, rows(96, 500)}, {"chan", 0.5, rows(100, 500)},
		{"chan", 2, rows(101, 495)}}
	base := rows(100, 500)
	list := Sensitivities(base, varied)
	if len(list) != 4 { // rate and time of two designs
		t.Fatalf("%+v", list)
	}
	a, b := list[0], list[2]
	if a.Design != "a" || a.Metric != result.Throughput || a.Value != 100 || a.Low != 96 || a.High != 103 ||
		a.Cost != "wake" || math.Abs(float64(a.Share)-0.04) > 1e-12 || !a.Matters() {
		t.Errorf("%+v", a)
	}
	if len(a.Effects) != 4 || a.Effects[1] != (Effect{"wake", 2, 96}) {
		t.Errorf("%+v", a.Effects)
	}
	if !strings.Contains(a.Text(), "most on wake") || !strings.Contains(a.Text(), "throughput") ||
		!strings.Contains(a.Text(), "up to 4%") {
		t.Error(a.Text())
	}
	if b.Low != 495 || b.High != 500 || b.Cost != "chan" || b.Matters() {
		t.Errorf("%+v", b)
	}
	if l := list[1]; l.Metric != result.LatencyMean || l.Low >= l.Value || l.High <= l.Value {
		t.Errorf("%+v", l)
	}
	AddSensitivities(base, list)
	if len(base[0].Sensitivity) != 2 || len(base[1].Sensitivity) != 2 ||
		base[1].Sensitivity[1].Metric != result.LatencyMean {
		t.Errorf("%+v", base)
	}
	same := Sensitivities(base, []VariedRun{{"wake", 2, rows(100, 500)}})[0]
	if same.Cost != "" || same.Share != 0 || same.Matters() {
		t.Errorf("%+v", same)
	}
}

// TestSensitivityOfFailures: a design that fails under a changed cost has no range.
func TestSensitivityOfFailures(t *testing.T) {
	cases := []plan.Case{caseOf("a"), caseOf("b")}
	failed := replication("a", 0, 100, 0)
	failed.Status, failed.Expected, failed.Metrics = result.Failed, false, result.Metrics{}
	base := Rows([]result.Trial{replication("a", 0, 100, 0), failed}, cases)
	base[0].Unexpected = 0
	s := Sensitivities(base, []VariedRun{{"wake", 0.5, base}, {"wake", 2, Rows([]result.Trial{failed}, cases)}})[0]
	if s.Low.Known() || s.High.Known() || s.Share.Known() || !s.Matters() ||
		!strings.Contains(s.Text(), "the design then fails") || !strings.Contains(s.Text(), "wake x 2") {
		t.Errorf("%+v: %s", s, s.Text())
	}
	if list := Sensitivities(Rows([]result.Trial{failed}, cases), nil); len(list) != 0 {
		t.Errorf("a row without numbers: %+v", list)
	}
}
