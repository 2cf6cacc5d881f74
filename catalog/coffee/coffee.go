// Package coffee is a workload modelled on a coffee shop (S. Ajmani, Simulating a real-world system in Go, dotGo 2016).
//
// A request is a latte with four stages. Grinding, pressing and steaming each need exclusive use of a machine; the
// final latte stage needs none. By default each stage is 1 ms of CPU work. With stages of s seconds, c CPUs, w workers
// and k machines of each kind, the throughput is at most
//
//	min(c/4s, w/4s, k/s)
//
// lattes a second (utilization law: Denning and Buzen, ACM Computing Surveys 10(3), 1978). One lock around the whole
// kitchen limits it to 1/4s. A closed loop of w workers at throughput x has a mean latency of w/x (Little's law).
package coffee

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Workload returns the coffee shop with its twelve designs.
func Workload() *workload.Workload {
	// A design uses only the times of the stages that its drink has.
	latte := []string{"stage", "jitter", "grind", "press", "steam", "latte", "dist"}
	americano := []string{"stage", "jitter", "grind", "press", "latte", "dist"}
	espresso := []string{"stage", "jitter", "grind", "press", "dist"}
	const lattes, americanos, espressos = "latte", "americano", "espresso" // fewer stages are less work
	and := func(factor string, drink []string) []string { return append([]string{factor}, drink...) }
	return &workload.Workload{
		Name:    "coffee",
		Doc:     "A coffee shop: grind, press and steam on exclusive machines, then make the latte.",
		Factors: factors(),
		Check:   check,
		Designs: []workload.Design{
			{Name: "ideal", Doc: "no synchronisation at all: a bound, not a solution", Uses: latte, Stream: newIdeal,
				Expect: workload.Bound},
			{Name: "locking", Doc: "one lock around the whole kitchen", Uses: latte, Stream: newLocking,
				Guarantee: lattes},
			{Name: "finelocking", Doc: "a lock for each machine", Uses: latte, Stream: newFineLocking,
				Guarantee: lattes},
			{Name: "parsteam", Doc: "finelocking that steams while it grinds and presses", Uses: latte,
				Stream: newParSteam, Guarantee: lattes},
			{Name: "americano", Doc: "finelocking without steam: a cache hit", Uses: americano, Stream: newAmericano,
				Guarantee: americanos},
			{Name: "espresso", Doc: "finelocking with neither steam nor latte: a degraded answer", Uses: espresso,
				Stream: newEspresso, Guarantee: espressos},
			{Name: "multi", Doc: "several machines of each kind, pooled in a channel", Uses: and("machines", latte),
				Stream: newMulti, Guarantee: lattes},
			{Name: "linearpipe", Doc: "one goroutine per machine; channels pass orders on",
				Uses: and("buffer", latte), Stream: newLinearPipe, Guarantee: lattes},
			{Name: "splitpipe", Doc: "a pipeline that grinds and presses, with a steamer in " +
				"parallel", Uses: and("buffer", latte),
				Stream: newSplitPipe, Guarantee: lattes},
			{Name: "multipipe", Doc: "several linearpipes that share one order channel", Uses: and("pipes", latte),
				Stream: newMultiPipe, Guarantee: lattes},
			{Name: "americanopipe", Doc: "linearpipe without steam", Uses: and("buffer", americano),
				Stream: newAmericanoPipe, Guarantee: americanos},
			{Name: "espressopipe", Doc: "linearpipe with neither steam nor latte", Uses: and("buffer", espresso),
				Stream: newEspressoPipe, Guarantee: espressos},
		},
	}
}

// hour is the longest time of a stage, in seconds. Longer ones would make too many preemptions, one every 10 ms.
const hour = 3600

func factors() []plan.Factor {
	return []plan.Factor{
		{Name: "buffer", Doc: "buffer size of each channel of a pipe", Kind: plan.Int, Default: "1", Max: 1_000_000},
		{Name: "machines", Doc: "machines of each kind in multi", Kind: plan.Int, Default: "2", Min: 1, Max: 1_000_000},
		{Name: "pipes", Doc: "pipes in multipipe", Kind: plan.Int, Default: "2", Min: 1, Max: 100_000},
		{Name: "stage", Doc: "CPU work of each of the four stages", Kind: plan.Duration, Default: "1ms", Max: hour,
			Input: true},
		{Name: "jitter", Doc: "width of the uniform noise on the three machine stages", Kind: plan.Duration,
			Default: "0s", Input: true},
		{Name: "grind", Doc: "CPU work of grinding (default stage)", Kind: plan.Duration, Max: hour, Input: true},
		{Name: "press", Doc: "CPU work of pressing (default stage)", Kind: plan.Duration, Max: hour, Input: true},
		{Name: "steam", Doc: "CPU work of steaming (default stage)", Kind: plan.Duration, Max: hour, Input: true},
		{Name: "latte", Doc: "CPU work of the latte stage (default stage)", Kind: plan.Duration, Max: hour,
			Input: true},
		{Name: "dist", Doc: "distribution of the machine stages: fixed, uniform, exponential or lognormal:CV",
			Kind: plan.Text, Input: true},
	}
}

// check returns an error if the distribution is unknown, or if a stage could take a negative time.
func check(p plan.Point) error {
	name, _, err := parseDist(p)
	if err != nil {
		return err
	}
	jitter := p.Duration("jitter")
	if jitter > 0 && name != "uniform" {
		return plan.Refuse("jitter", plan.DurationLevel(jitter), "is the width of a uniform distribution; leave out "+
			"{dist} %s or the jitter", name)
	}
	times := timesOf(p)
	for _, stage := range []struct {
		name string
		mean int64
	}{{"grind", int64(times.grind)}, {"press", int64(times.press)}, {"steam", int64(times.steam)}} {
		if int64(jitter) > 2*stage.mean {
			return &plan.Refusal{Field: "jitter", Value: plan.DurationLevel(jitter).String(),
				Reason: fmt.Sprintf("the %s stage could take negative time; give at most twice the stage's time",
					stage.name)}
		}
	}
	return nil
}

// parseDist returns the distribution of the times of the machine stages, and its coefficient of variation if it is
// lognormal.
func parseDist(p plan.Point) (name string, cv float64, err error) {
	if !p.Has("dist") {
		if p.Duration("jitter") > 0 {
			return "uniform", 0, nil
		}
		return "fixed", 0, nil
	}
	text := p.Text("dist")
	name, rest, has := strings.Cut(text, ":")
	switch name {
	case "fixed", "uniform", "exponential":
		if has {
			return "", 0, distError(text, "only lognormal takes a coefficient of variation")
		}
		return name, 0, nil
	case "lognormal":
		cv, err := strconv.ParseFloat(rest, 64)
		if err != nil || !(cv > 0 && cv <= 100) {
			return "", 0, distError(text,
				"write lognormal:CV with a coefficient of variation above 0, such as lognormal:0.5")
		}
		return name, cv, nil
	}
	return "", 0, distError(text, "not a distribution; use fixed, uniform, exponential or lognormal:CV")
}

// distError is the error of a level of dist.
func distError(level, reason string) error {
	return &plan.Refusal{Field: "dist", Value: level, Reason: reason}
}
