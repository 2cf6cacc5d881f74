package gotrace

import (
	"time"

	"github.com/brewput/brewput/evidence"
)

// Limits of the time series. If there are more than maxSlices, two slices become one.
const (
	maxSlices   = 2048
	firstBits   = 14  // logarithm of the initial length of a slice in ns
	exactLevels = 129 // largest exact number of goroutines, plus 1
)

// demand integrates how many of the program's goroutines want a CPU, and how many have one.
type demand struct {
	wants, runs int
	alone       int  // sum of the class indices of those that want a CPU: the class if there is one
	shift       uint // a slice lasts 1<<shift ns
	slices      []slice
	exact       [exactLevels]slice // by number of wanting goroutines: the time, and the CPU time
	peak        int
	spare       int64
}

// slice holds integrals over time, in ns: of the goroutines that want a CPU, and of those that have one.
type slice struct{ wants, runs int64 }

func (d *demand) init() { d.shift = firstBits }

// advance adds dt ns, starting at from ns since the first event.
func (d *demand) advance(from, dt int64, cpus int) {
	d.peak = max(d.peak, d.wants)
	x := &d.exact[min(max(d.wants, 0), exactLevels-1)]
	x.wants += dt
	x.runs += dt * int64(d.runs)
	if d.wants < cpus {
		d.spare += dt
	}
	// The usual case: the interval is within the last slice.
	if i := int(from >> d.shift); i == len(d.slices)-1 && (from+dt)>>d.shift == from>>d.shift {
		d.slices[i].wants += dt * int64(d.wants)
		d.slices[i].runs += dt * int64(d.runs)
		return
	}

	for dt > 0 {
		for from>>d.shift >= maxSlices {
			d.halve()
		}
		i := int(from >> d.shift)
		if i >= len(d.slices) {
			d.slices = append(d.slices, make([]slice, i+1-len(d.slices))...)
		}
		part := min(dt, int64(i+1)<<d.shift-from)
		d.slices[i].wants += part * int64(d.wants)
		d.slices[i].runs += part * int64(d.runs)
		from += part
		dt -= part
	}
}

// halve doubles the length of the slices.
func (d *demand) halve() {
	for i := range (len(d.slices) + 1) / 2 {
		s := d.slices[2*i]
		if 2*i+1 < len(d.slices) {
			s.wants += d.slices[2*i+1].wants
			s.runs += d.slices[2*i+1].runs
		}
		d.slices[i] = s
	}
	d.slices = d.slices[:(len(d.slices)+1)/2]
	d.shift++
}

// export returns the summary; duration is that of the trace in ns.
func (d *demand) export(duration int64) evidence.Demand {
	width := int64(1) << d.shift
	out := evidence.Demand{Slice: time.Duration(width), Peak: d.peak, Spare: time.Duration(d.spare)}
	for i, s := range d.slices {
		lasts := float64(min(width, max(1, duration-int64(i)*width)))
		out.Mean = append(out.Mean, float64(s.wants)/lasts)
		out.Running = append(out.Running, float64(s.runs)/lasts)
	}

	last := min(d.peak, exactLevels-1)
	for _, s := range d.exact[:last+1] {
		out.Time = append(out.Time, time.Duration(s.wants))
		out.CPUTime = append(out.CPUTime, time.Duration(s.runs))
	}

	return out
}
