package model

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// TestBadInput: every function says what is wrong, and no more than that.
func TestBadInput(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	net := func(think float64, stations ...Station) error {
		_, err := Network{think, stations}.Solve(3)
		return err
	}
	for words, f := range map[string]func() error{
		"servers: -1,":          func() error { _, err := ErlangB(-1, 1); return err },
		"servers: 1000000000,":  func() error { _, err := ErlangB(1e9, 1); return err },
		"offered load is -1,":   func() error { _, err := ErlangB(1, -1); return err },
		"servers: 0,":           func() error { _, err := ErlangC(0, 0); return err },
		"offered load is NaN,":  func() error { _, err := ErlangC(1, nan); return err },
		"offered load is +Inf,": func() error { _, err := ErlangC(1, inf); return err },
		"rate is 0,":            func() error { _, err := MM1(0, 1); return err },
		"service time is NaN,":  func() error { _, err := MM1(1, nan); return err },
		"rate is +Inf,":         func() error { _, err := MMc(inf, 1, 1); return err },
		"probability is 1,": func() error {
			_,
				err := MMcWaitQuantile(1, .1, 1, 1)
			return err
		},
		"probability is -0.1,": func() error {
			_,
				err := MM1ResponseQuantile(1, .1, -.1)
			return err
		},
		"probability is NaN,": func() error {
			_,
				err := MD1WaitQuantile(1, .1, nan)
			return err
		},
		"capacity, servers included: 2, but": func() error { _, err := MMcK(1, 1, 3, 2); return err },
		"rate is -1,":                        func() error { _, err := MMcK(-1, 1, 3, 4); return err },
		"customers: 0,":                      func() error { _, err := Repairman(0, 1, 1, 1); return err },
		"think time is -2,":                  func() error { _, err := Repairman(1, -2, 1, 1); return err },
		"is too small": func() error {
			_,
				err := Repairman(1, 1e300, 1e-300, 1)
			return err
		},
		"standard deviation is -1,": func() error { _, err := MG1(1, .1, -1); return err },
		"times between arrivals is NaN,": func() error {
			_,
				err := KingmanBound(1, nan, .1, 0)
			return err
		},
		"deviation of the service times is -3": func() error {
			_,
				err := KingmanBound(1, 0, .1, -3)
			return err
		},
		"station 1 has 0 servers":        func() error { return net(1, Station{1, 1}, Station{1, 0}) },
		"demand at station 0 is -1,":     func() error { return net(1, Station{-1, 1}) },
		"demand at station 0 is 1e-300,": func() error { return net(1, Station{1e-300, 1}) },
		"think time is NaN,":             func() error { return net(nan, Station{1, 1}) },
		"a cycle of 0 seconds":           func() error { return net(0, Station{0, 1}) },
		"customers: -3,": func() error {
			_,
				err := Network{Think: 1}.Solve(-3)
			return err
		},
		"10000000 customers and 1 stations are too many": func() error {
			_,
				err := Network{1, []Station{{1, 1}}}.Solve(1e7)
			return err
		},
		"too many to be solved": func() error {
			_,
				err := Network{1, []Station{{1, 2}}}.Solve(1e6)
			return err
		},
		"length of a cycle is 0,": func() error { _, _, err := JobBound(1, 0); return err },
		"customers: -1,": func() error {
			_,
				err := Network{Think: 1}.Bounds(-1)
			return err
		},
		"0 service times and 0 buffers": func() error { _, err := Tandem(nil, nil); return err },
		"2 service times and 2 buffers": func() error {
			_,
				err := Tandem([]float64{1, 1}, []int{1, 1})
			return err
		},
		"service time of station 1 is 0,": func() error {
			_,
				err := Tandem([]float64{1, 0}, []int{1})
			return err
		},
		"places before station 1: -1,": func() error {
			_,
				err := Tandem([]float64{1, 1}, []int{-1})
			return err
		},
		"a line of more than": func() error {
			_,
				err := Tandem(ones(30), make([]int, 29))
			return err
		},
		"304 apart, is too large": func() error {
			_,
				err := Tandem(ones(3), []int{300, 300})
			return err
		},
		"2 numbers of workers and 1": func() error {
			_,
				err := FitUSL([]int{1, 2}, []float64{1})
			return err
		},
		"workers of measurement 1: 0,": func() error {
			_,
				err := FitUSL([]int{1, 0}, []float64{1, 1})
			return err
		},
		"5 measurements of 2 different": func() error {
			_,
				err := FitUSL([]int{1, 1, 2, 2, 2}, ones(5))
			return err
		},
		"throughput of measurement 0 is NaN,": func() error {
			_,
				err := FitUSL([]int{1}, []float64{nan})
			return err
		},
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("the error is %v, without %q", err, words)
		}
	}
}

// TestUnstable: an overload is told from wrong input.
func TestUnstable(t *testing.T) {
	_, mm1 := MM1(10, 0.1)
	_, mmc := MMc(21, 0.1, 2)
	_, quantile := MMcWaitQuantile(20, 0.1, 2, 0.5)
	_, erlang := ErlangC(3, 3)
	_, mg1 := MG1(11, 0.1, 0)
	_, md1 := MD1WaitQuantile(10, 0.1, 0.5)
	_, kingman := KingmanBound(10, 1, 0.1, 1)
	for i, err := range []error{mm1, mmc, quantile, erlang, mg1, md1, kingman} {
		if !errors.Is(err, ErrUnstable) {
			t.Errorf("%d: %v is not ErrUnstable", i, err)
		}
	}
	if _, err := MM1(-1, 1); errors.Is(err, ErrUnstable) {
		t.Errorf("%v is ErrUnstable", err)
	}
}
