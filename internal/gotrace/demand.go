package gotrace

import (
	"time"

	"github.com/brewput/brewput/evidence"
)

// slices is how many slices of time are kept at most: when there are more, two become one.
const (
	maxSlices   = 2048
	firstBits   = 14  // of the ns of a slice to begin with: a power of two
	exactLevels = 129 // exact numbers of goroutines are told below this
)

// demand is how many of the program's goroutines want a CPU, and how many have one.
type demand struct {
	wants, runs int
	alone       int  // the sum of the classes of those that want one: the class of the one that is alone
	shift       uint // a slice is 1<<shift ns
	slices      []slice
	exact       [exactLevels]slice // by wants: for, work
	peak        int
	spare       int64
}

// slice holds integrals over time: of those that want a CPU, and of those that have one.
type slice struct{ wants, runs int64 }

func (d *demand) init() { d.shift = firstBits }

// pass adds dt from a time since the start on.
func (d *demand) advance(from, dt int64, cpus int) {
	d.peak = max(d.peak, d.wants)
	x := &d.exact[min(max(d.wants, 0), exactLevels-1)]
	x.wants += dt
	x.runs += dt * int64(d.runs)
	if d.wants < cpus {
		d.spare += dt
	}
	if i := int(from >> d.shift); i == len(d.slices)-1 && (from+dt)>>d.shift == from>>d.shift { // mostly
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

// halve makes slices twice as wide.
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
