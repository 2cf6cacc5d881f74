package journal

import (
	"errors"
	"math"
	"slices"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// The metrics that every trial measures.
const (
	getMeanSeconds = "get_mean_seconds" // time of a Get, one after the other, when all entries were appended

	// In the directory of its log:

	writeSeconds = "write_seconds" // time of a write as long as that of an entry
	syncSeconds  = "sync_seconds"  // time of a sync after such a write, which is not part of it
	ofWriteRate  = "of_write_rate" // write_seconds x entries a second of a trial without reads
)

// probe measures a write and a sync.
func (t *state) probe(fs files) error {
	f, err := fs.create("probe")
	if err != nil {
		return err
	}
	write, at := make([]byte, t.writeBytes()), int64(0)
	spent, n, err := t.repeat(1000, 20*time.Millisecond, func() (time.Duration, error) {
		began := t.e.Now()
		_, err := f.WriteAt(write, at)
		at += int64(len(write))
		return t.e.Now() - began, err
	})
	t.metrics[writeSeconds] = spent.Seconds() / float64(n)
	if t.p.Int("gets") == 0 { // the time of reads is part of the rate
		t.metrics[ofWriteRate] = t.metrics[writeSeconds] * float64(t.p.Int("appends")) / t.wall.Seconds()
	}
	if err == nil {
		err = f.sync()
	}
	if err == nil {
		spent, n, err = t.repeat(100, 100*time.Millisecond, func() (time.Duration, error) {
			_, err := f.WriteAt(write, at)
			at += int64(len(write))
			began := t.e.Now()
			err = errors.Join(err, f.sync())
			return t.e.Now() - began, err
		})
		t.metrics[syncSeconds] = spent.Seconds() / float64(n)
	}
	return errors.Join(err, f.Close())
}

// writeBytes returns the length of the write of an entry: that of a frame, unless the log writes lines.
func (t *state) writeBytes() int {
	if l, ok := t.log.(*lines); ok {
		text, _ := l.encode(make([]byte, t.size)) // numbers and bytes have an encoding
		return len(text)
	}
	return frameHead + t.size
}

// repeat calls f several times and returns the sum of its times.
func (t *state) repeat(times int, limit time.Duration, f func() (time.Duration, error)) (sum time.Duration, n int,
	err error) {
	for n < times && sum < limit && err == nil {
		var d time.Duration
		d, err = f()
		sum += d
		n++
	}
	return sum, n, err
}

// eachSync predicts a log that syncs each entry.
func eachSync() *workload.Formula {
	return formula("appends x "+syncSeconds, "one sync for each entry",
		func(p plan.Point, m workload.Measured) float64 {
			return float64(p.Int("appends")) * measured("file-sync", syncSeconds, p, m)
		})
}

// sharedSync predicts group commit if each sync has an entry of every caller, which is the fewest syncs. If callers
// wait for the sync of others first, it takes twice as long.
func sharedSync() *workload.Formula {
	return formula("appends / callers x "+syncSeconds+"; up to twice that from 2 callers on",
		"one sync for an entry of each caller (group commit: DeWitt and others, SIGMOD 1984)",
		func(p plan.Point, m workload.Measured) float64 {
			rounds := math.Ceil(float64(p.Int("appends")) / float64(p.Int("callers")))
			return rounds * measured("group", syncSeconds, p, m)
		})
}

// eachWrite predicts a log that writes each entry.
func eachWrite() *workload.Formula {
	return formula("appends x "+writeSeconds, "one write for each entry",
		func(p plan.Point, m workload.Measured) float64 {
			return float64(p.Int("appends")) * measured("binary", writeSeconds, p, m)
		})
}

// encodeAndWrite predicts the file log.
func encodeAndWrite() *workload.Formula {
	return formula("encode + appends x "+writeSeconds, "the lock covers the encoding and the write of each entry",
		func(p plan.Point, m workload.Measured) float64 {
			return m.Wall("encode", p) + float64(p.Int("appends"))*measured("file", writeSeconds, p, m)
		})
}

// formula returns a formula for the wall time of a job without reads.
func formula(text, source string, seconds func(p plan.Point, m workload.Measured) float64) *workload.Formula {
	return &workload.Formula{Text: text, Source: source,
		Seconds: func(p plan.Point, m workload.Measured) float64 {
			if p.Int("gets") > 0 {
				return math.NaN()
			}
			return seconds(p, m)
		}}
}

// measured returns a metric, or NaN if it was not measured.
func measured(design, metric string, p plan.Point, m workload.Measured) float64 {
	x, ok := m.Metric(design, metric, p)
	if !ok {
		return math.NaN()
	}
	return x
}

// newEncode encodes the entries as the file log does, and keeps them in memory, but writes nothing.
func newEncode(_ env.Env, p plan.Point) (workload.Job, error) {
	n, size := p.Int("appends"), p.Int("entry")
	l := &lines{}
	return workload.Job{Items: int64(n), Bytes: int64(n) * int64(size), Run: func(e env.Env) error {
		buf := make([]byte, 0, size)
		for k := range n {
			buf = entry(buf, size, 0, k)
			if _, err := l.encode(buf); err != nil {
				return err
			}
			l.entries = append(l.entries, slices.Clone(buf))
		}
		return nil
	}}, nil
}
