package compare

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// SLO is a service level objective: limits that metrics of a design must keep. All of them must be kept.
type SLO []Objective

// Objective is one limit of an SLO, such as p99<20ms.
type Objective struct {
	Text  string  // as it was given, without spaces
	Name  string  // of the metric: as it was given, such as p99
	AtMax bool    // the limit is an upper one
	Limit float64 // in the unit of the metric: nanoseconds, per second, or a fraction
}

// maxObjectives bounds the length of an SLO.
const maxObjectives = 20

// ParseSLO reads objectives that are separated by commas, such as "p99<20ms, errors<0.1%, throughput>500". The names
// are mean, min, max and the quantiles p5 to p999, of the response time in an open loop and of the latency in a closed
// one; errors, the share of failed requests; throughput, in requests a second; and the names of metrics. A limit of
// zero is possible with <= only. Errors are a [*plan.Refusal] of the option slo.
func ParseSLO(text string) (SLO, error) {
	var slo SLO
	for term := range strings.SplitSeq(text, ",") {
		o, err := parseObjective(strings.Join(strings.Fields(term), ""))
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(slo, func(x Objective) bool { return x.Name == o.Name && x.AtMax == o.AtMax }) {
			return nil, plan.Refuse("slo", nil, "has two limits of %s in the same direction", o.Name).
				Suggest("leave one of them out")
		}
		slo = append(slo, o)
	}
	if len(slo) > maxObjectives {
		return nil, plan.Refuse("slo", nil, "has %d objectives, more than %d", len(slo), maxObjectives)
	}
	return slo, nil
}

// parseObjective reads one objective, which has no spaces.
func parseObjective(term string) (Objective, error) {
	refuse := func(reason string, args ...any) (Objective, error) {
		return Objective{}, plan.Refuse("slo", term, reason, args...).
			Suggest("write objectives such as p99<20ms, errors<0.1%% or throughput>500")
	}
	at := strings.IndexAny(term, "<>")
	if at <= 0 {
		return refuse("is no name of a metric with < or > and a limit")
	}
	o := Objective{Text: term, Name: term[:at], AtMax: term[at] == '<'}
	unit := result.UnitOf(o.metric(false))
	if !isObjective(o.Name) {
		return Objective{}, plan.Refuse("slo", term, "%q is no metric with an objective", o.Name).
			Suggest("%sthe names are mean, errors, throughput, %s and those of metrics", sameQuantile(o.Name),
				strings.Join(quantileNames(), ", "))
	}
	value, inclusive := strings.CutPrefix(term[at+1:], "=")
	limit, ok := parseLimit(value, unit)
	switch {
	case !ok:
		return refuse("%q is no %s", value, limitWord(unit))
	case limit < 0 || limit == 0 && !inclusive:
		return refuse("no measurement can be below it, and none proves that it is above 0")
	}
	o.Limit = limit
	return o, nil
}

// isObjective reports whether an objective may have that name. Known metrics may end in any text.
func isObjective(name string) bool {
	if strings.ContainsFunc(name, func(r rune) bool { return !strings.ContainsRune(nameRunes, r) }) {
		return false
	}
	return name == "mean" || name == "errors" || name == "throughput" || isQuantile(name) || result.KnownMetric(name)
}

// nameRunes are the characters of names of metrics.
const nameRunes = "abcdefghijklmnopqrstuvwxyz0123456789_"

// isQuantile reports whether a name is that of a quantile of the contract.
func isQuantile(name string) bool {
	_, ok := quantileOf(name)
	return ok
}

// quantileNames returns the names of the quantiles of the contract.
func quantileNames() (names []string) {
	for _, q := range result.Quantiles {
		names = append(names, q.Name)
	}
	return names
}

// sameQuantile suggests the quantile of the contract that a name such as p99.9 means, and "" if it means none.
func sameQuantile(name string) string {
	digits, isPercentile := strings.CutPrefix(strings.ToLower(name), "p")
	if percent, err := strconv.ParseFloat(digits, 64); isPercentile && err == nil {
		for _, q := range result.Quantiles {
			if q.Q > 0 && q.Q < 1 && math.Abs(100*q.Q-percent) < 1e-9 {
				return "write " + q.Name + "; "
			}
		}
	}
	return ""
}

// quantileOf returns the quantile with that name, 0 to 1.
func quantileOf(name string) (q float64, ok bool) {
	for _, x := range result.Quantiles {
		if x.Name == name {
			return x.Q, true
		}
	}
	return 0, false
}

// metric returns the metric of the objective, in an open or in a closed loop.
func (o Objective) metric(open bool) string {
	of := "latency_"
	if open {
		of = "response_"
	}
	switch {
	case o.Name == "mean" || isQuantile(o.Name):
		return of + o.Name + "_ns"
	case o.Name == "errors":
		return result.ErrorShare
	case o.Name == "throughput":
		return result.Throughput
	}
	return o.Name
}

// quantile returns the quantile that the objective limits, 0 to 1; ok is false if it limits none.
func (o Objective) quantile() (q float64, ok bool) {
	name := strings.TrimSuffix(o.Name, "_ns")
	return quantileOf(name[strings.LastIndexByte(name, '_')+1:])
}

// parseLimit reads a limit of a metric with a unit.
func parseLimit(text string, unit result.Unit) (limit float64, ok bool) {
	number := func(text string, scale float64) (float64, bool) {
		x, err := strconv.ParseFloat(text, 64)
		return x * scale, err == nil && !math.IsInf(x, 0) && !math.IsNaN(x)
	}
	switch unit {
	case result.Nanoseconds, result.Seconds:
		d, err := time.ParseDuration(text)
		if unit == result.Seconds {
			return d.Seconds(), err == nil
		}
		return float64(d), err == nil
	case result.Ratio:
		if share, percent := strings.CutSuffix(text, "%"); percent {
			return number(share, 0.01)
		}
	}
	return number(strings.TrimSuffix(text, "/s"), 1)
}

// limitWord says what a limit of a metric with a unit is.
func limitWord(unit result.Unit) string {
	switch unit {
	case result.Nanoseconds, result.Seconds:
		return "time with its unit, such as 20ms"
	case result.Ratio:
		return "share, such as 0.1% or 0.001"
	case result.PerSecond, result.BytesPerSec:
		return "number a second, such as 500"
	}
	return "number"
}
