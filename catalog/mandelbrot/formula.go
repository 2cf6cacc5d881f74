package mandelbrot

import (
	"math"

	"github.com/brewput/brewput/model"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// amdahl is the source of formulas with a serial and a parallel part.
const amdahl = "Amdahl's law (1967): the serial part, plus the parallel part divided by the CPUs"

// hands returns the number of CPUs that share the work.
func hands(p plan.Point) float64 {
	n := p.Int("cpus")
	if p.Has("workers") {
		n = min(n, p.Int("workers"))
	}
	return float64(n)
}

// standardFile returns the time in which the standard library writes the original's file, which has three colours.
func standardFile(p plan.Point, m workload.Measured) float64 {
	return m.Wall("png-standard", p.With("colour", plan.TextLevel("rgb")))
}

// undivided predicts a design that computes pixels in parallel and writes the file serially.
func undivided() *workload.Formula {
	return &workload.Formula{
		Text: "png-standard + (sequential - png-standard) / CPUs, with colour rgb among the levels; sequential / " +
			"CPUs without a file",
		Source: amdahl,
		Seconds: func(p plan.Point, m workload.Measured) float64 {
			all, file := m.Wall("sequential", p), 0.0
			if p.Text("file") != "none" {
				file = standardFile(p, m)
			}
			speedup, ok := model.Amdahl(file/all, int(hands(p)))
			if !ok {
				return math.NaN()
			}
			return all / speedup
		},
	}
}

// computing returns the time of mirror without a file.
func computing(p plan.Point, m workload.Measured) float64 {
	return m.Wall("mirror", p.With("file", plan.TextLevel("none")))
}

// overlapped predicts overlap.
func overlapped() *workload.Formula {
	return &workload.Formula{
		Text:   "max(png-serial, (mirror + png-serial) / CPUs), with file none among the levels",
		Source: "the critical path, or all work divided by the CPUs (Graham 1969)",
		Seconds: func(p plan.Point, m workload.Measured) float64 {
			w, f := computing(p, m), m.Wall("png-serial", p)
			return max(f, (w+f)/float64(p.Int("cpus")))
		},
	}
}

// divided predicts parallel.
func divided() *workload.Formula {
	return &workload.Formula{
		Text:   "(mirror + png-serial) / CPUs, with file none among the levels",
		Source: amdahl,
		Seconds: func(p plan.Point, m workload.Measured) float64 {
			return (computing(p, m) + m.Wall("png-serial", p)) / hands(p)
		},
	}
}

// filed predicts png-parallel.
func filed() *workload.Formula {
	return &workload.Formula{
		Text:    "png-serial / CPUs",
		Source:  amdahl,
		Seconds: func(p plan.Point, m workload.Measured) float64 { return m.Wall("png-serial", p) / hands(p) },
	}
}
