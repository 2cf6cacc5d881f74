package doctor

import (
	"fmt"
	"strings"
	"time"

	"github.com/brewput/brewput/result"
)

// The checks for lost CPU time.

// listBusiest is the command that lists the processes that use most CPU time.
const listBusiest = "ps -eo pcpu,etime,args --sort=-pcpu | head  # and stop what you can"

func (r Readings) load() Check {
	load, ok := r.Load1.Get()
	if !ok {
		return missing("load", r.Load1, "it is unknown whether the machine was busy in the last minute; the noise "+
			"floor shows the effect")
	}
	cpus := r.CPUs
	if online, ok := r.Online.Get(); ok {
		cpus = online // the load average is of the machine
	}
	share := load / float64(max(cpus, 1))
	c := number("load", grade(share, 0.25, 1), load, "",
		fmt.Sprintf("load average %.2f over the last minute, on %s", load, result.Count(cpus, "CPU")))
	fix := listBusiest + "; or wait a minute and repeat this"
	others, known := r.Others.Get()
	switch {
	case c.Status == Good:
		return c.claim("almost nothing ran here in the last minute", "")
	case c.Status == Caution:
		return c.claim("if programs of the last minute still run, they take CPU time from trials", fix)
	case known && grade(others, othersGood, othersLimit) == Good:
		// Linux also counts processes that wait for a disk or a file server, and a minute is long.
		c.Status = Caution
		return c.claim("more threads than CPUs ran or waited for a disk, but none uses CPU time now", fix)
	}
	return c.claim("more threads than CPUs want to run: trial times include waiting for a CPU", fix)
}

// othersGood and othersLimit are limits for the number of CPUs that other processes use: for a good state, and for a
// caution.
const othersGood, othersLimit = 0.05, 0.25

func (r Readings) others() Check {
	cpus, ok := r.Others.Get()
	if !ok {
		return missing("others", r.Others, "it is unknown what other processes use; the noise floor shows the effect")
	}
	c := number("others", grade(cpus, othersGood, othersLimit), cpus, "CPUs",
		fmt.Sprintf("%.2f CPUs used by other processes over %s", cpus, span(r.Window)))
	if c.Status == Good {
		return c.claim("no other process uses CPU time now", "")
	}
	return c.claim("other processes take CPU time: designs that use all CPUs look too slow", listBusiest)
}

func (r Readings) steal() Check {
	cpus, ok := r.Steal.Get()
	if !ok {
		return missing("steal", r.Steal, "it is unknown whether a host takes CPU time from this machine")
	}
	c := number("steal", grade(cpus, 0.01, 0.1), cpus, "CPUs", fmt.Sprintf("%.3f CPUs over %s", cpus, span(r.Window)))
	if c.Status == Good {
		return c.claim("the host takes no CPU time from this machine", "")
	}
	return c.claim("the host takes CPU time away: tail latencies and scaling look too bad",
		"measure at another time; or on a machine or instance whose CPUs are not shared")
}

func (r Readings) throttled() Check {
	return r.checkNever("throttled", r.Throttled, "stopped in", "period", []string{
		"it is unknown whether a CPU quota stops this program", "no CPU quota stopped this program",
		"the cgroup's CPU quota stopped this program: trial times include the pauses",
		"use fewer CPUs; or lift the quota (see quota)"})
}

func (r Readings) heat() Check {
	return r.checkNever("heat", r.Heat, "clocks lowered", "time", []string{
		"it is unknown whether CPUs overheat; the burn probes of trials detect slower clocks",
		"no CPU lowered its clock because of heat",
		"hot CPUs lowered their clocks: later trials are slower than earlier ones",
		"cool the machine; or use fewer CPUs; or turn boost off (see boost)"})
}

// checkNever checks a counter that must not grow. says holds the claims if it is unknown, if it did not grow, and if
// it did, and then the fix.
func (r Readings) checkNever(name string, count Reading[uint64], did, what string, says []string) Check {
	n, ok := count.Get()
	if !ok {
		return missing(name, count, says[0])
	}
	c := number(name, Good, float64(n), "",
		fmt.Sprintf("%s %s over %s", did, result.Count(int(n), what), span(r.Window)))
	if n > 0 {
		c.Status = Bad
		return c.claim(says[2], says[3])
	}
	return c.claim(says[1], "")
}

func (r Readings) quota() Check {
	q, ok := r.Quota.Get()
	switch {
	case !ok:
		return missing("quota", r.Quota, "it is unknown whether CPU time is limited; see throttled")
	case q.CPUs == 0:
		return word("quota", Good, "none", "no CPU limit on the whole path of the cgroup").claim(
			"trials get whole CPUs", "")
	}
	c := number("quota", Good, q.CPUs, "CPUs", fmt.Sprintf("%.4g CPUs by %s", q.CPUs, q.File))
	if q.CPUs < float64(r.CPUs) {
		c.Status = Bad
		if float64(r.Procs) <= q.CPUs {
			c.Status = Caution // the default number of CPUs is within the quota
		}
	}
	if c.Status == Good {
		return c.claim("the limit is not below the usable CPUs", "")
	}
	fix := fmt.Sprintf("echo %s | sudo tee %s", q.Lift, q.File)
	if whole := int(q.CPUs); whole >= 1 {
		fix = fmt.Sprintf("use at most %s; or %s", result.Count(whole, "CPU"), fix)
	}
	return c.claim(fmt.Sprintf("trials on more than %.4g CPUs are paused in each period: they scale badly",
		q.CPUs), fix)
}

func (r Readings) procs() Check {
	total := ""
	if online, ok := r.Online.Get(); ok && online != r.CPUs {
		total = fmt.Sprintf(" of %d", online)
	}
	c := number("cpus", Good, float64(r.CPUs), "CPUs",
		fmt.Sprintf("%d usable%s; GOMAXPROCS %d (%s)", r.CPUs, total, r.Procs, r.ProcsFrom))
	switch {
	case r.Procs > r.CPUs:
		c.Status = Bad
		return c.claim("GOMAXPROCS exceeds the usable CPUs: trials share them and seem to scale badly",
			"unset GOMAXPROCS; or widen the affinity with taskset")
	case r.Procs < r.CPUs && r.ProcsFrom != "cgroup":
		c.Status = Caution
		return c.claim("by default, trials use fewer CPUs than this machine offers",
			"unset GOMAXPROCS; or choose the number of CPUs for each run")
	case r.CPUs == 1:
		c.Status = Caution
		return c.claim("nothing runs in parallel: every other process takes time from the trial",
			"measure on a machine with two or more CPUs")
	}
	return c.claim("each CPU of a trial has a CPU of the machine", "")
}

// flat joins the parts of one line.
func flat(words []string) string { return strings.Join(words, ", ") }

// ms converts a time to milliseconds.
func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
