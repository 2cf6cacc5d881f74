package mandelbrot

import (
	"math"

	"github.com/brewput/brewput/model"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// amdahl is the source of what follows.
const amdahl = "Amdahl 1967: what is not divided, and what is, by the CPUs"

// hands are the CPUs that work is divided by.
func hands(p plan.Point) float64 {
	n := p.Int("cpus")
	if p.Has("workers") {
		n = min(n, p.Int("workers"))
	}
	return float64(n)
}

// standardFile is the time that the standard library takes for the original's file, in colours.
func standardFile(p plan.Point, m workload.Measured) float64 {
	return m.Wall("png-standard", p.With("colour", plan.TextLevel("rgb")))
}

// undivided predicts a design that divides the pixels and not the file, from the sequential one.
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

// computing is the time that mirror takes for the pixels alone.
func computing(p plan.Point, m workload.Measured) float64 {
	return m.Wall("mirror", p.With("file", plan.TextLevel("none")))
}

// overlapped predicts overlap.
func overlapped() *workload.Formula {
	return &workload.Formula{
		Text:   "max(png-serial, (mirror + png-serial) / CPUs), with file none among the levels",
		Source: "the longest chain and all work divided (Graham 1969)",
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
