// Package doctor judges whether a machine is fit for measuring: what was read of it goes in, a status
// for each check and one sentence come out. It is pure: internal/host does the reading, and nothing is
// changed by either.
package doctor

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/brewput/brewput/result"
)

// Status is what a check came to.
type Status string

// The statuses.
const (
	Good        Status = "good"
	Caution     Status = "caution"     // results are right, with the care that the claim asks for
	Bad         Status = "bad"         // results would mislead
	Unknown     Status = "unknown"     // it should be there and could not be read
	Unavailable Status = "unavailable" // this platform has no such thing, or does not tell
)

// Check is one question about the machine and its answer. Its JSON is a contract.
type Check struct {
	Kind          string `json:"kind"` // "check"
	SchemaVersion int    `json:"schema_version"`
	Name          string `json:"check"`
	Status        Status `json:"status"`
	Value         any    `json:"value"` // a number or a word; null where it is not known
	Unit          string `json:"unit"`  // of a number: ns, s, CPUs, bytes, ratio; "" of counts and words
	Evidence      string `json:"evidence"`
	Claim         string `json:"claim"` // what it means for results
	Fix           string `json:"fix"`   // what would improve it; "" where nothing needs to
}

// Fixes are the parts of the fix: each another thing to do.
func (c Check) Fixes() []string {
	if c.Fix == "" {
		return nil
	}
	return strings.Split(c.Fix, "; or ")
}

// Report is what all checks come to. Its JSON is a contract.
type Report struct {
	Kind          string       `json:"kind"` // "doctor"
	SchemaVersion int          `json:"schema_version"`
	Verdict       string       `json:"verdict"`
	NoiseFloor    result.Value `json:"noise_floor"`      // half-width of the 95 % interval of an A/A: 0.01 is 1 %
	Least         result.Value `json:"least_difference"` // the smallest that can be judged: twice the floor
	Bad           []string     `json:"bad"`              // names of checks
	Caution       []string     `json:"caution"`
	Claim         string       `json:"claim"`
}

// The verdicts on a machine.
const (
	Fit     = "fit"
	FitFrom = "fit-from" // only for differences above a bound that is larger than the usual margin
	NotFit  = "not-fit"
	Open    = "unknown" // nothing speaks against it, but the noise floor is not known
)

// Reading is one thing read of the machine. The zero Reading is unknown.
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

// Read is a reading with a value.
func Read[T any](v T) Reading[T] { return Reading[T]{v, read} }

// Absent is the reading of what this platform does not have.
func Absent[T any]() Reading[T] { return Reading[T]{state: absent} }

// Get is the value; ok is false where it is not known.
func (r Reading[T]) Get() (v T, ok bool) { return r.value, r.state == read }

// Judge makes a check of every reading, and of all checks one verdict.
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

// Disturbed names what makes a measurement of microseconds worthless: the evidence of those checks that are bad and
// speak of CPU time taken away, or of a program that is not as it is in use; "" where there are none. own says that the
// caller has loaded the machine itself in the last minute.
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

// conclude makes the verdict. Twice the floor is the smallest difference that can be judged: a verdict is
// made only where the noise floor is at most half of it.
func (r Readings) conclude(checks []Check, floor result.Value) Report {
	rep := Report{Kind: "doctor", SchemaVersion: result.SchemaVersion, NoiseFloor: floor, Least: 2 * floor,
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
	least := fmt.Sprintf("differences above %s (twice the noise floor of %s)", percent(float64(rep.Least)),
		percent(float64(floor)))
	switch {
	case len(rep.Bad) > 0:
		rep.Verdict = NotFit
		rep.Claim = "not fit for measuring: " + strings.Join(why, ", ")
	case !floor.Known():
		rep.Verdict = Open
		rep.Claim = fmt.Sprintf("nothing speaks against measuring here, but how small a difference it shows is "+
			"unknown: the noise floor was not measured (%s doctor measures it)", r.Program)
	case float64(rep.Least) <= usualMargin:
		rep.Verdict = Fit
		rep.Claim = "fit for measuring " + least
	default:
		rep.Verdict = FitFrom
		rep.Claim = "fit for " + least + " only"
	}
	if len(rep.Caution) > 0 {
		rep.Claim += "; take care: " + strings.Join(rep.Caution, ", ")
	}
	return rep
}

// usualMargin is the margin of equivalence: who can judge it can give every verdict.
const usualMargin = 0.02

// number makes a check of a number; the evidence says it in words.
func number(name string, s Status, value float64, unit, evidence string) Check {
	return Check{Name: name, Status: s, Value: result.Value(value), Unit: unit, Evidence: evidence}
}

// word makes a check of a word.
func word(name string, s Status, value, evidence string) Check {
	return Check{Name: name, Status: s, Value: value, Evidence: evidence}
}

// says gives a check its claim, and a fix where it is not good.
func (c Check) says(claim, fix string) Check {
	c.Claim = claim
	if c.Status != Good {
		c.Fix = fix
	}
	return c
}

// without is a check of something that was not read. why says what follows.
func without[T any](name string, r Reading[T], why string) Check {
	c := Check{Name: name, Status: Unknown, Evidence: "could not be read", Claim: why}
	if r.state == absent {
		c.Status, c.Evidence = Unavailable, "this system has or tells no such thing"
	}
	return c
}

// grade is good up to the first limit, a caution up to the second, bad beyond.
func grade(x, good, caution float64) Status {
	switch {
	case x <= good:
		return Good
	case x <= caution:
		return Caution
	}
	return Bad
}

func percent(x float64) string {
	p := 100 * x
	switch {
	case math.IsNaN(p):
		return "an unknown part"
	case p == 0 || p >= 9.95:
		return fmt.Sprintf("%.0f%%", p)
	case p < 0.095:
		return fmt.Sprintf("%.2g%%", p)
	}
	return fmt.Sprintf("%.1f%%", p)
}

// span is a time with two or three digits.
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
