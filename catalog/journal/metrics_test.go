package journal

import (
	"testing"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual"
	"github.com/brewput/brewput/internal/workloadtest"
	"github.com/brewput/brewput/plan"
)

// slow is a log in which reading an entry takes 1 ms of CPU time, and finding that there is none an hour.
type slow struct {
	Log
	e env.Env
}

func (s slow) Get(index uint64) ([]byte, error) {
	data, err := s.Log.Get(index)
	if err != nil {
		s.e.Burn(time.Hour)
	} else {
		s.e.Burn(time.Millisecond)
	}
	return data, err
}

func openSlow(e env.Env, dir string, p plan.Point) (Log, error) {
	l, err := openMemory(e, dir, p)
	return slow{l, e}, err
}

// metricsOf returns the metrics of a trial.
func metricsOf(t *testing.T, e env.Env, open Open, settings string) (map[string]float64, error) {
	j, err := newJob(e, workloadtest.Point(t, Workload(), settings, "dir="+t.TempDir()), None, open)
	if err == nil {
		err = j.Run(e)
	}
	if err == nil {
		_, err = j.Check()
	}
	if err != nil {
		return nil, err
	}
	return j.Metrics(), nil
}

// TestGetMeanSeconds checks that the mean time of a read has only reads of entries, and not what verifies them. In
// virtual time, it is exact.
func TestGetMeanSeconds(t *testing.T) {
	err := virtual.New(virtual.Config{CPUs: 1, Seed: 1}).Run("test", func(e env.Env) {
		m, err := metricsOf(t, e, openSlow, "callers=3 appends=10")
		if got, ok := m[getMeanSeconds]; err != nil || !ok || got != 0.001 {
			t.Errorf("%v s, want 1 ms: %v, %v", got, m, err)
		}
	})
	if err != nil {
		t.Error(err)
	}
}

// TestOfWriteRate checks that only trials without reads are compared with the rate of writes.
func TestOfWriteRate(t *testing.T) {
	for settings, want := range map[string]bool{"callers=2 appends=3": true, "callers=2 appends=3 gets=1": false} {
		inWorld(t, func(e env.Env) error {
			m, err := metricsOf(t, e, openMemory, settings)
			if _, ok := m[ofWriteRate]; ok != want {
				t.Errorf("%s: %s is there: %t, want %t", settings, ofWriteRate, ok, want)
			}
			return err
		})
	}
}

// slowWrites are files in which a write takes 1 ms.
type slowWrites struct {
	files
	file
	e env.Env
}

func (s slowWrites) create(string) (file, error) { return s, nil }
func (s slowWrites) sync() error                 { return nil }
func (s slowWrites) Close() error                { return nil }

func (s slowWrites) WriteAt(data []byte, _ int64) (int, error) {
	s.e.Burn(time.Millisecond)
	return len(data), nil
}

// TestFractionOfWriteRate checks that three entries in 6 ms are half of what writes of 1 ms allow.
func TestFractionOfWriteRate(t *testing.T) {
	err := virtual.New(virtual.Config{CPUs: 1, Seed: 1}).Run("test", func(e env.Env) {
		x := state{e: e, p: workloadtest.Point(t, Workload(), "appends=3"), wall: 6 * time.Millisecond,
			metrics: map[string]float64{}}
		err := x.probe(slowWrites{e: e})
		if w, of := x.metrics[writeSeconds], x.metrics[ofWriteRate]; err != nil || w != 0.001 || of != 0.5 {
			t.Errorf("a write takes %v s, and the fraction is %v: %v", w, of, err)
		}
	})
	if err != nil {
		t.Error(err)
	}
}

// TestWriteBytes checks that the time of a write is that of a write as long as the design's own.
func TestWriteBytes(t *testing.T) {
	for name, open := range onFiles() {
		if name == "async" {
			continue // writes several entries at once
		}
		for _, settings := range []string{"entry=0", "entry=100", "entry=5000"} {
			inWorld(t, func(e env.Env) error {
				r := newRecorder()
				l, err := open(e, r)
				if err != nil {
					return err
				}
				p := workloadtest.Point(t, Workload(), settings, "gets=1")
				size := p.Int("entry")
				for range 10 { // from then on, the index of a line has two digits, as in the probe
					if _, err := l.Append(make([]byte, size)); err != nil {
						return err
					}
				}
				own := r.trace[len(r.trace)-1]
				if own.op == "sync" {
					own = r.trace[len(r.trace)-2]
				}
				s := &state{e: e, p: p, log: l, size: size, metrics: map[string]float64{}}
				if got := s.writeBytes(); got != len(own.data) {
					t.Errorf("%s, %s: a write of %d bytes is measured, and entries take %d", name, settings, got,
						len(own.data))
				}
				return l.Close()
			})
		}
	}
}
