package model

import "math"

// Amdahl returns the speed-up of a fixed job by n CPUs, n >= 1, if the fraction serial (0 to 1) of its time on one
// CPU cannot be divided and the rest can, without loss (Amdahl 1967): 1 / (serial + (1-serial)/n). It is at most
// 1/serial. ok is false if serial or n is out of range.
func Amdahl(serial float64, n int) (speedup float64, ok bool) {
	if !(serial >= 0 && serial <= 1 && n >= 1) {
		return 0, false
	}
	return 1 / (serial + (1-serial)/float64(n)), true
}

// Gustafson returns the speed-up by n CPUs, n >= 1, of a job that grows with them until it takes the same time. The
// fraction serial (0 to 1) of that time, measured on n CPUs, is not divided (Gustafson, CACM 31, 1988): n - serial
// (n-1). ok is false if serial or n is out of range.
func Gustafson(serial float64, n int) (speedup float64, ok bool) {
	if !(serial >= 0 && serial <= 1 && n >= 1) {
		return 0, false
	}
	return float64(n) - serial*float64(n-1), true
}

// USL is the Universal Scalability Law (Gunther, Guerrilla Capacity Planning, 2007, ch. 4). The throughput of n
// workers or CPUs is
//
//	Lambda n / (1 + Sigma (n-1) + Kappa n (n-1))
//
// With Kappa = 0 it is Amdahl's law with serial = Sigma. The law describes a measured curve. Its coefficients are
// causes only if other evidence shows it.
type USL struct {
	Lambda float64 // throughput of one, 1/s, positive
	Sigma  float64 // contention, 0 or more: the fraction that is done one at a time
	Kappa  float64 // coherency, 0 or more: the cost of each pair
}

// Throughput returns the throughput with n workers or CPUs, n >= 1, in 1/s.
func (u USL) Throughput(n int) float64 {
	k := float64(n)
	return u.Lambda * k / (1 + u.Sigma*(k-1) + u.Kappa*k*(k-1))
}

// Peak returns the n with the highest throughput, sqrt((1-Sigma)/Kappa) and at least 1. It is rarely an integer; the
// best integer is one of its neighbours. ok is false if there is no peak: the curve rises for ever, towards
// Lambda/Sigma or without limit.
func (u USL) Peak() (n float64, ok bool) {
	if !(u.Kappa > 0) {
		return 0, false
	}
	return math.Sqrt(max(1, (1-u.Sigma)/u.Kappa)), true
}
