package labtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fake is a test that remembers how it ended.
type fake struct {
	testing.TB
	dir    string
	ended  string
	reason string
}

func (f *fake) Helper()             {}
func (f *fake) Log(...any)          { f.ended = pass }
func (f *fake) Error(a ...any)      { f.ended, f.reason = fail, a[0].(string) }
func (f *fake) Skip(a ...any)       { f.ended, f.reason = inconclusive, a[0].(string) }
func (f *fake) ArtifactDir() string { return f.dir }

// TestDecide: what an interval and a load by others come to.
func TestDecide(t *testing.T) {
	for _, c := range []struct {
		name             string
		low, high, busy  float64
		throttled        float64
		want, wantReason string
	}{
		{"within", 1.01, 1.04, 0, 0, pass, ""},
		{"over", 1.06, 1.2, 0, 0, fail, "asked for"},
		{"both", 1.01, 1.2, 0, 0, inconclusive, "more Blocks"},
		{"over, under load", 1.06, 1.2, 0.5, 0, inconclusive, "other processes used 0.50 of a CPU"},
		{"within, load unknown", 1.01, 1.04, -1, -1, pass, ""},
		{"over, stopped by a quota", 1.06, 1.2, 0, 3, inconclusive, "a CPU quota stopped the process in 3 periods"},
	} {
		f := &fake{TB: t, dir: t.TempDir()}
		r := outcome{Name: "ratio", Asked: "x", Low: c.low, High: c.high, Busy: c.busy, Throttled: c.throttled}
		r.decide(r.High <= 1.05, r.Low > 1.05)
		r.conclude(f, "y")
		if f.ended != c.want || !strings.Contains(f.reason, c.wantReason) {
			t.Errorf("%s: %s (%s), want %s (%s)", c.name, f.ended, f.reason, c.want, c.wantReason)
		}
		text, err := os.ReadFile(filepath.Join(f.dir, "labtest-ratio.json"))
		if err != nil || !strings.Contains(string(text), `"verdict": "`+c.want+`"`) {
			t.Errorf("%s: stored %s, %v", c.name, text, err)
		}
	}
}

// TestCompared: both sides are measured in every block, in turns.
func TestCompared(t *testing.T) {
	var order []byte
	note := func(b byte) func() {
		return func() {
			if len(order) == 0 || order[len(order)-1] != b {
				order = append(order, b)
			}
		}
	}
	r := compared(side{note('a'), 1}, side{note('b'), 1}, Options{Blocks: 6, Duration: time.Microsecond})
	if len(r.A) != 6 || len(r.B) != 6 {
		t.Errorf("%d and %d blocks", len(r.A), len(r.B))
	}
	// The warm-up ab, then ab ba ab ba ab ba, where what follows itself is noted once.
	if got := string(order); got != "ababababa" {
		t.Errorf("order %s", got)
	}
}

func TestQuantile(t *testing.T) {
	for q, want := range map[float64]float64{0: 1, 0.5: 2, 0.75: 3, 0.99: 4} {
		if got := quantile([]float64{4, 2, 3, 1}, q); got != want {
			t.Errorf("%v: %v, want %v", q, got, want)
		}
	}
}

// TestAlone: a test that measures cannot become parallel.
func TestAlone(t *testing.T) {
	t.Run("measuring", func(t *testing.T) {
		o := Options{}
		o.fill(&fake{TB: t})
		defer func() {
			if recover() == nil {
				t.Error("other tests may run beside it")
			}
		}()
		t.Parallel()
	})
}
