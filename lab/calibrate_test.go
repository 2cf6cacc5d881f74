package lab

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/brewput/brewput/doctor"
	"github.com/brewput/brewput/internal/costs"
)

// TestUndisturbed: a machine that is loaded is not calibrated, and what the calibration itself did is no load.
func TestUndisturbed(t *testing.T) {
	quiet := doctor.Readings{CPUs: 2, Load1: doctor.Read(0.1), Others: doctor.Read(0.01), Steal: doctor.Read(0.0),
		Throttled: doctor.Read(uint64(0)),
		Race:      doctor.Read(false), Cover: doctor.Read(false)}
	for _, x := range []struct {
		what   string
		change func(*doctor.Readings)
		own    bool
		want   string
	}{
		{"quiet", func(*doctor.Readings) {}, false, ""},
		{"a little", func(r *doctor.Readings) { r.Others = doctor.Read(0.2) }, false, ""},
		{"others", func(r *doctor.Readings) { r.Others = doctor.Read(0.3) }, false,
			"others (0.30 CPUs used by other processes"},
		{"others meanwhile", func(r *doctor.Readings) { r.Others = doctor.Read(0.3) }, true, "others (0.30 CPUs"},
		{"steal", func(r *doctor.Readings) { r.Steal = doctor.Read(0.5) }, true, "steal (0.500 CPUs"},
		{"throttled", func(r *doctor.Readings) { r.Throttled = doctor.Read(uint64(2)) }, true,
			"throttled (stopped in 2 periods"},
		{"race detector", func(r *doctor.Readings) { r.Race = doctor.Read(true) }, false, "build (built with -race)"},
		{"load", func(r *doctor.Readings) { r.Load1, r.Others = doctor.Read(3.0), doctor.Read(0.1) }, false,
			"load (load average 3.00 over the last minute"},
		{"own load", func(r *doctor.Readings) { r.Load1, r.Others = doctor.Read(3.0), doctor.Read(0.1) }, true, ""},
		{"two", func(r *doctor.Readings) { r.Others, r.Steal = doctor.Read(0.3), doctor.Read(0.5) }, false,
			", steal ("},
	} {
		r := quiet
		x.change(&r)
		err := undisturbed(r, x.own)
		switch {
		case x.want == "" && err != nil:
			t.Errorf("%s: %v", x.what, err)
		case x.want != "" && (err == nil || !strings.Contains(err.Error(), x.want) ||
			!strings.Contains(err.Error(), "nothing is stored")):
			t.Errorf("%s: %v; want %q", x.what, err, x.want)
		}
	}
}

// TestUnsteady: a calibration whose halves disagree is an UnfitError that says what to do; other errors stay as they
// are.
func TestUnsteady(t *testing.T) {
	err := unsteady(fmt.Errorf("round 3: %w", &costs.Unsteady{}))
	var u *UnfitError
	if !errors.As(err, &u) || u.Load != "" || !strings.Contains(err.Error(), "disagree") ||
		!strings.HasSuffix(err.Error(), "nothing is stored: stop other programs on this machine and its host, "+
			"and calibrate again") {
		t.Errorf("got %v", err)
	}
	if other := errors.New("no such program"); unsteady(other) != other {
		t.Errorf("got %v", unsteady(other))
	}
}

// TestExamineRefusal: a negative time limit is refused before anything is examined.
func TestExamineRefusal(t *testing.T) {
	noted := false
	x, err := Examine(t.Context(), ExamineOptions{TimeLimit: -1, Notify: func(Event) { noted = true }})
	if r := (*Refusal)(nil); x != nil || noted || !errors.As(err, &r) || r.Field != "time-limit" {
		t.Errorf("%+v, %v", x, err)
	}
}
