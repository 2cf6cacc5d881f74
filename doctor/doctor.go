// Package doctor judges whether a machine is fit for measuring. Its API is not stable; programs should use lab.Examine.
//
// It converts readings of the machine to a check with a status for each, and to a verdict in one sentence. It is pure:
// internal/host reads the machine, and neither changes anything.
package doctor

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/brewput/brewput/internal/decimal"
	"github.com/brewput/brewput/result"
)

// Examination is the result of lab.Examine.
type Examination struct {
	Environment result.Environment // the machine and this program
	Checks      []Check
	Report      Report
}

// Status is the result of a check.
type Status string

// The statuses.
const (
	Good        Status = "good"
	Caution     Status = "caution"     // results are right with the care that the claim asks for
	Bad         Status = "bad"         // results would be misleading
	Unknown     Status = "unknown"     // the reading should exist and could not be read
	Unavailable Status = "unavailable" // this platform has no such reading, or the program is not installed
)

// Check is the check of one property of the machine. Its JSON is a contract.
type Check struct {
	Kind          string `json:"kind"` // "check"
	SchemaVersion int    `json:"schema_version"`
	Name          string `json:"check"`
	Status        Status `json:"status"`
	Value         any    `json:"value"` // a number or a word; null if unknown
	Unit          string `json:"unit"`  // of a number: ns, s, CPUs, bytes, ratio; "" for counts and words
	Evidence      string `json:"evidence"`
	Claim         string `json:"claim"` // consequence for results
	Fix           string `json:"fix"`   // what would improve it; "" if nothing needs improvement
}

// NotGood reports whether the check found a problem, or failed to read what it checks.
func (c Check) NotGood() bool { return c.Status == Bad || c.Status == Caution || c.Status == Unknown }

// Fixes returns the parts of the fix, each of which is an action of its own.
func (c Check) Fixes() []string {
	if c.Fix == "" {
		return nil
	}
	return strings.Split(c.Fix, "; or ")
}

// Report is the result of all checks. Its JSON is a contract.
type Report struct {
	Kind            string       `json:"kind"` // "doctor"
	SchemaVersion   int          `json:"schema_version"`
	Verdict         string       `json:"verdict"`
	NoiseFloor      result.Value `json:"noise_floor"`      // half-width of the 95% interval of an A/A: 0.01 is 1%
	LeastDifference result.Value `json:"least_difference"` // smallest difference that can be judged: twice the floor
	Bad             []string     `json:"bad"`              // names of checks
	Caution         []string     `json:"caution"`
	Claim           string       `json:"claim"`

	answer []string // the sentences of Claim
}

// Answer returns the sentences of the claim: the verdict, and the checks to take care of, if any.
func (r Report) Answer() []string { return r.answer }

// The verdicts on a machine.
const (
	Fit     = "fit"
	FitFrom = "fit-from" // only for differences above a bound that is larger than the usual margin
	NotFit  = "not-fit"
	Open    = "unknown" // no check is against it, but the noise floor is unknown
)

// Reading is one value read of the machine. The zero Reading is unknown.
type Reading[T any] struct {
	value T
	state state
}

type state int

const (
	unread state = iota
	read
	absent
)

// Read returns a reading with a value.
func Read[T any](v T) Reading[T] { return Reading[T]{v, read} }

// Absent returns the reading of a property that this platform does not have.
func Absent[T any]() Reading[T] { return Reading[T]{state: absent} }

// Get returns the value; ok is false if it is unknown.
func (r Reading[T]) Get() (v T, ok bool) { return r.value, r.state == read }

// Judge makes a check of every reading, and a verdict of all checks.
func Judge(r Readings, noise []Noise) ([]Check, Report) {
	checks := []Check{
		r.load(), r.others(), r.steal(), r.throttled(), r.heat(), r.quota(), r.procs(),
		r.governor(), r.boost(), r.smt(), r.cores(), r.virtual(),
		r.clock(), r.clockRead(), r.sleep(), r.timer(),
		r.memory(), r.battery(), r.build(), r.godebug(), r.gc(), r.costs(),
	}
	floor := result.Unavailable
	if len(noise) > 0 {
		var c Check
		c, floor = judgeNoise(noise)
		checks = append(checks, c)
	}
	for i := range checks {
		checks[i].Kind, checks[i].SchemaVersion = "check", result.SchemaVersion
	}
	return checks, r.conclude(checks, floor)
}

// Disturbed names the conditions that make measurements of microseconds worthless. They are the evidence of the
// bad checks about lost CPU time, or about a program that differs from normal use; "" if there are none. own
// says that the caller itself has loaded the machine in the last minute.
func Disturbed(r Readings, own bool) string {
	checks := []Check{r.others(), r.steal(), r.throttled(), r.build()}
	if !own {
		checks = append(checks, r.load())
	}
	var why []string
	for _, c := range checks {
		if c.Status == Bad {
			why = append(why, fmt.Sprintf("%s (%s)", c.Name, c.Evidence))
		}
	}
	return strings.Join(why, ", ")
}

// conclude makes the verdict. The smallest difference that can be judged is twice the noise floor, because a
// verdict needs a noise floor of at most half of it.
func (r Readings) conclude(checks []Check, floor result.Value) Report {
	rep := Report{Kind: "doctor", SchemaVersion: result.SchemaVersion, NoiseFloor: floor, LeastDifference: 2 * floor,
		Bad: []string{}, Caution: []string{}}
	var why []string
	for _, c := range checks {
		switch c.Status {
		case Bad:
			rep.Bad = append(rep.Bad, c.Name)
			why = append(why, fmt.Sprintf("%s (%s)", c.Name, c.Evidence))
		case Caution:
			rep.Caution = append(rep.Caution, c.Name)
		}
	}
	least := fmt.Sprintf("differences above %s (twice the noise floor of %s).", twice(float64(floor)),
		decimal.Percent(float64(floor), 2))
	var claim string
	switch {
	case len(rep.Bad) > 0:
		rep.Verdict = NotFit
		claim = "Not fit for measuring: " + strings.Join(why, ", ") + "."
	case !floor.Known():
		rep.Verdict = Open
		claim = fmt.Sprintf("No check is bad, but it is unknown how small a difference this machine can show: "+
			"%s doctor measures its noise floor.", r.Program)
	case float64(rep.LeastDifference) <= usualMargin:
		rep.Verdict = Fit
		claim = "Fit for measuring " + least
	default:
		rep.Verdict = FitFrom
		claim = "Fit only for " + least
	}
	rep.say(claim)
	return rep
}

// say makes the answer of a claim and the checks to take care of.
func (r *Report) say(claim string) {
	r.answer = []string{claim}
	if len(r.Caution) > 0 {
		r.answer = append(r.answer, "Take care: "+strings.Join(r.Caution, ", ")+".")
	}
	r.Claim = strings.Join(r.answer, " ")
}

// AddProgram adds the check of another program that runs trials. version is its version, "" if it is not installed, and
// problem why it cannot be used. build is how to build it. It does not change the verdict on the machine.
func (x *Examination) AddProgram(name, version string, problem error, build string) {
	c := word(name, Good, version, "version "+version).claim("it adds its designs", "")
	switch {
	case problem != nil:
		c = word(name, Caution, "broken", problem.Error()).claim("its designs cannot be measured", build)
		x.Report.Caution = append(x.Report.Caution, name)
		x.Report.say(x.Report.answer[0])
	case version == "":
		c = word(name, Unavailable, "none", "not installed").claim("its designs cannot be measured", build)
	}
	c.Kind, c.SchemaVersion = "check", result.SchemaVersion
	x.Checks = append(x.Checks, c)
}

// usualMargin is the margin of equivalence. A machine that can judge it can give every verdict.
const usualMargin = 0.02

// number returns a check of a number; evidence is its text.
func number(name string, s Status, value float64, unit, evidence string) Check {
	return Check{Name: name, Status: s, Value: result.Value(value), Unit: unit, Evidence: evidence}
}

// word returns a check of a word.
func word(name string, s Status, value, evidence string) Check {
	return Check{Name: name, Status: s, Value: value, Evidence: evidence}
}

// claim sets the claim of a check, and its fix if it is not good.
func (c Check) claim(claim, fix string) Check {
	c.Claim = claim
	if c.Status != Good {
		c.Fix = fix
	}
	return c
}

// missing returns the check of a reading that is missing. why is the claim.
func missing[T any](name string, r Reading[T], why string) Check {
	c := Check{Name: name, Status: Unknown, Evidence: "could not be read", Claim: why}
	if r.state == absent {
		c.Status, c.Evidence = Unavailable, "this system does not report it"
	}
	return c
}

// grade is good up to the first limit, a caution up to the second, and bad beyond.
func grade(x, good, caution float64) Status {
	switch {
	case x <= good:
		return Good
	case x <= caution:
		return Caution
	}
	return Bad
}

// twice formats the double of a fraction: of its digits that are printed, so that a reader can check it.
func twice(x float64) string {
	digits := strings.TrimSuffix(decimal.Percent(x, 2), "%")
	p, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return decimal.Percent(2*x, 2)
	}
	_, decimals, _ := strings.Cut(digits, ".")
	return strconv.FormatFloat(2*p, 'f', len(decimals), 64) + "%"
}

// span formats a time with two or three digits.
func span(d time.Duration) string {
	for _, unit := range []time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		if d >= 10*unit {
			return d.Round(unit).String()
		}
		if d >= unit {
			return d.Round(unit / 10).String()
		}
	}
	return d.String()
}
