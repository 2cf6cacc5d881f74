package words

import (
	"bufio"
	"bytes"
	"io"
	"os"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// The metrics of the bounds.
const (
	eachSeconds = "each_seconds" // time of one call or allocation
	fileBytes   = "file_bytes"   // size of the file
)

// maxProbes is the largest number of calls or allocations that are measured.
const maxProbes = 1_000_000

// newRead reads the file in chunks and counts nothing.
func newRead(_ env.Env, p plan.Point) (workload.Job, error) {
	in, err := newInput(p)
	if err != nil {
		return workload.Job{}, err
	}
	return workload.Job{Bytes: in.size, Run: func(e env.Env) error {
		w := e.Begin()
		_, err := in.each(in.chunk, func([]byte) {})
		w.End()
		return err
	}}, nil
}

// newCalls reads the file with a system call for each byte.
func newCalls(_ env.Env, p plan.Point) (workload.Job, error) {
	in, err := newInput(p)
	if err != nil {
		return workload.Job{}, err
	}
	n := min(in.size, maxProbes)
	return probe(n, map[string]float64{fileBytes: float64(in.size)}, func() error {
		f, err := os.Open(in.path)
		if err != nil {
			return err
		}
		defer f.Close()
		for buf := make([]byte, 1); n > 0; n-- {
			if _, err := f.Read(buf); err != nil {
				return err
			}
		}
		return nil
	}), nil
}

// newAllocs allocates single bytes on the heap.
func newAllocs(env.Env, plan.Point) (workload.Job, error) {
	return probe(maxProbes, map[string]float64{}, func() error {
		_, err := io.CopyN(io.Discard, &escapes{}, maxProbes)
		return err
	}), nil
}

// escapes is a reader that allocates a byte for each byte read.
type escapes struct{ last []byte }

func (x *escapes) Read(p []byte) (int, error) {
	for range p {
		x.last = make([]byte, 1)
	}
	return len(p), nil
}

// probe returns a job of n equal operations, with the mean time of one as a metric.
func probe(n int64, metrics map[string]float64, run func() error) workload.Job {
	return workload.Job{
		Items: n,
		Run: func(e env.Env) error {
			began := e.Now()
			w := e.Begin()
			err := run()
			w.End()
			if n > 0 {
				metrics[eachSeconds] = (e.Now() - began).Seconds() / float64(n)
			}
			return err
		},
		Metrics: func() map[string]float64 { return metrics },
	}
}

func newScanTable(_ env.Env, p plan.Point) (workload.Job, error) {
	return scanning(p, func(r rule) scan { return r.table() })
}

func newScanSWAR(_ env.Env, p plan.Point) (workload.Job, error) {
	return scanning(p, func(r rule) scan { return r.swar })
}

// newScanBytes counts like reused, but from memory instead of a file.
func newScanBytes(_ env.Env, p plan.Point) (workload.Job, error) {
	return scanning(p, func(r rule) scan {
		return func(t tally, p []byte) tally {
			n, err := r.steps(bufio.NewReader(bytes.NewReader(p)), reusedByte())
			if err != nil {
				panic(err) // reading memory does not fail
			}
			t.words += n
			return t
		}
	})
}

// scanning returns the job of a scan without reading: it scans the first chunk of the file, which is in the cache, as
// often as the file has chunks.
func scanning(p plan.Point, of func(rule) scan) (workload.Job, error) {
	in, err := newInput(p)
	if err != nil {
		return workload.Job{}, err
	}
	f, err := os.Open(in.path)
	if err != nil {
		return workload.Job{}, err
	}
	defer f.Close()
	chunk := make([]byte, min(int64(in.chunk), in.size))
	if _, err := io.ReadFull(f, chunk); err != nil {
		return workload.Job{}, err
	}
	count := of(in.rule)
	return workload.Job{Bytes: in.size, Run: func(e env.Env) error {
		var t tally
		w := e.Begin()
		for left := in.size; left > 0; left -= int64(len(chunk)) {
			t = count(t, chunk[:min(left, int64(len(chunk)))])
		}
		w.End()
		return nil
	}}, nil
}
