package doctor

import (
	"fmt"
	"github.com/brewput/brewput/result"
	"strings"
	"time"
)

// The checks for lost CPU time.

// listBusiest is the command that lists the processes that use most CPU time.
const listBusiest = "ps -eo pcpu,etime,args --sort=-pcpu | head"

func (r Readings) load() Check {
	load, ok := r.Load1.Get()
	if !ok {
		return missing("load", r.Load1, "whether the machine was busy in the last minute is not known; the noise "+
			"floor tells what comes of it")
	}
	cpus := r.CPUs
	if online, ok := r.Online.Get(); ok {
		cpus = online // the load average is of the machine
	}
	share := load / float64(max(cpus, 1))
	c := number("load", grade(share, 0.25, 1), load, "",
		fmt.Sprintf("%.2f over the last minute, on %s", load, result.Count(cpus, "CPU")))
	fix := "wait a minute and ask again, or stop what runs; or " + listBusiest
	others, known := r.Others.Get()
	switch {
	case c.Status == Good:
		return c.claim("hardly anything has run here in the last minute", "")
	case c.Status == Caution:
		return c.claim("programs have run here in the last minute, perhaps a sweep of your own: what is left of them "+
			"takes CPUs from trials", fix)
	case known && grade(others, othersGood, othersLimit) == Good:
		// Linux also counts processes that wait for a disk or a file server, and a minute is long.
		c.Status = Caution
		return c.claim("more threads ran, or waited for a disk, than there are CPUs, but no other program uses CPUs "+
			"now: trials have them to themselves, if it stays so", fix)
	}
	return c.claim("more threads wanted CPUs than there are: trials share them, and their times are "+
		"those of the mixture", fix)
}

// othersGood and othersMost are limits for the number of CPUs that other programs use: for a good state, and
// for a caution.
const othersGood, othersLimit = 0.05, 0.25

func (r Readings) others() Check {
	cpus, ok := r.Others.Get()
	if !ok {
		return missing("others", r.Others, "what other programs use now is not known; the noise floor "+
			"tells what comes of it")
	}
	c := number("others", grade(cpus, othersGood, othersLimit), cpus, "CPUs",
		fmt.Sprintf("%.2f CPUs used by others over %s", cpus, span(r.Window)))
	if c.Status == Good {
		return c.claim("no other program works now", "")
	}
	return c.claim("other programs work now: designs that use all CPUs lose to those that leave one free",
		"stop them; or "+listBusiest)
}

func (r Readings) steal() Check {
	cpus, ok := r.Steal.Get()
	if !ok {
		return missing("steal", r.Steal, "whether a host takes CPU time away is not known")
	}
	c := number("steal", grade(cpus, 0.01, 0.1), cpus, "CPUs", fmt.Sprintf("%.3f CPUs over %s", cpus, span(r.Window)))
	if c.Status == Good {
		return c.claim("the host gives the CPU time that is asked for", "")
	}
	return c.claim("the host gives CPU time of this virtual machine to others, in pieces of milliseconds: latency "+
		"tails and scaling over CPUs are partly its doing", "measure at another time, or on a machine or instance "+
		"whose CPUs are not shared")
}

func (r Readings) throttled() Check {
	return r.checkNever("throttled", r.Throttled, "stopped in", "period", []string{
		"whether a quota stops this program is not known", "no quota stopped this program",
		"the cgroup's quota stopped this program for parts of a period: trials measure the pauses",
		"use fewer CPUs, or lift the quota (see quota)"})
}

func (r Readings) heat() Check {
	return r.checkNever("heat", r.Heat, "clocks lowered", "time", []string{
		"whether CPUs grow too hot is not known; a trial's burn probes tell when clocks fall", "CPUs stay cool enough",
		"CPUs grew too hot and lowered their clocks: later trials are slower than earlier ones",
		"cool the machine, use fewer CPUs, or turn boost off (see boost)"})
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
		return missing("quota", r.Quota, "whether the CPU time is limited is not known; throttled tells when it is")
	case q.CPUs == 0:
		return word("quota", Good, "none", "no CPU limit on the cgroup's whole path").claim("trials get whole CPUs", "")
	}
	c := number("quota", Good, q.CPUs, "CPUs", fmt.Sprintf("%.4g CPUs by %s", q.CPUs, q.File))
	if q.CPUs < float64(r.CPUs) {
		c.Status = Bad
		if float64(r.Procs) <= q.CPUs {
			c.Status = Caution // the default number of CPUs is within the quota
		}
	}
	if c.Status == Good {
		return c.claim("the limit is not below the CPUs that are there", "")
	}
	fix := fmt.Sprintf("echo %s | sudo tee %s", q.Lift, q.File)
	if whole := int(q.CPUs); whole >= 1 {
		fix = fmt.Sprintf("use at most %s; or %s", result.Count(whole, "CPU"), fix)
	}
	return c.claim(fmt.Sprintf("trials with more than %.4g CPUs are stopped for the rest of each period of 100 ms or "+
		"so: it shows as latency and as bad scaling", q.CPUs), fix)
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
		return c.claim("GOMAXPROCS is above the CPUs that this process may use: by default trials would share CPUs, "+
			"and scaling would look worse than it is", "unset GOMAXPROCS; or widen the affinity with taskset")
	case r.Procs < r.CPUs && r.ProcsFrom != "cgroup":
		c.Status = Caution
		return c.claim("by default trials use fewer CPUs than there are",
			"unset GOMAXPROCS; or give the number of CPUs")
	case r.CPUs == 1:
		c.Status = Caution
		return c.claim("with one CPU nothing runs in parallel: the runner itself and every other program take "+
			"time from the trial", "measure on a machine with two CPUs or more")
	}
	return c.claim("each CPU of a trial has a CPU of the machine", "")
}

// flat joins the parts of one line.
func flat(words []string) string { return strings.Join(words, ", ") }

// ms converts a time to milliseconds.
func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
