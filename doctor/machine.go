package doctor

import (
	"fmt"

	"github.com/brewput/brewput/result"
)

// The checks of the hardware and its settings.

func (r Readings) governor() Check {
	all, ok := r.Governors.Get()
	if !ok || len(all) == 0 {
		return missing("governor", r.Governors, "how the clocks are governed is not known; a trial's burn probes "+
			"tell when they drift")
	}
	c := word("governor", Good, flat(all), flat(all))
	if len(all) == 1 && all[0] == "performance" {
		return c.claim("clocks stay up between trials", "")
	}
	c.Status = Caution
	return c.claim("clocks follow the load: designs that wait much run slower than their work alone would, and short "+
		"trials measure the rise",
		"echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor")
}

func (r Readings) boost() Check {
	b, ok := r.Boost.Get()
	if !ok {
		return missing("boost", r.Boost, "whether clocks rise when few CPUs work is not known: scaling over CPUs can "+
			"look worse than it is")
	}
	if !b.On {
		return word("boost", Good, "off", "off").claim("clocks do not depend on how many CPUs work", "")
	}
	return word("boost", Caution, "on", "on").claim("clocks rise when few CPUs work: designs on the same "+
		"number of CPUs compare well, but scaling over CPUs looks worse than it is",
		fmt.Sprintf("echo %s | sudo tee %s", b.Write, b.File))
}

func (r Readings) smt() Check {
	s, ok := r.SMT.Get()
	if !ok {
		return missing("smt", r.SMT, "whether CPUs share a core is not known: scaling over CPUs can "+
			"look worse than it is")
	}
	c := number("smt", Good, float64(s.Threads), "", result.Count(s.Threads, "thread")+" a core online")
	virtual, _ := r.Hypervisor.Get()
	if virtual {
		c.Evidence += ", as the virtual machine is told"
	}
	switch {
	case virtual && s.Usable <= 1:
		c.Status = Unknown // the topology is usually made up
		return c.claim("the host decides where CPUs of a virtual machine run: whether two share a core is not known, "+
			"and scaling over CPUs can look worse than it is", "")
	case s.Threads <= 1:
		return c.claim("each CPU is a core of its own", "")
	case s.Usable <= 1:
		c.Evidence += ", one of them usable by this process"
		return c.claim("each CPU of a trial is a core of its own, if nobody else runs on its sibling", "")
	}
	c.Status = Caution
	fix := "echo off | sudo tee /sys/devices/system/cpu/smt/control"
	if s.One != "" {
		fix = fmt.Sprintf("taskset -c %s %s run ...; or %s", s.One, r.Program, fix)
	}
	return c.claim("CPUs share cores: two that work on one core get much less than twice the speed of one, and which "+
		"two a trial gets is chance", fix)
}

func (r Readings) cores() Check {
	k, ok := r.Cores.Get()
	if !ok {
		return missing("cores", r.Cores, "whether cores are of one kind is not known")
	}
	if k.Performance == 0 || k.Efficiency == 0 {
		return word("cores", Good, "alike", "all of one kind").claim("a trial is as fast on any core", "")
	}
	mix := fmt.Sprintf("%d fast, %d slow", k.Performance, k.Efficiency)
	fix := "measure more blocks, or on a machine whose cores are alike"
	if k.Fast != "" {
		fix = fmt.Sprintf("taskset -c %s %s run ...", k.Fast, r.Program)
	}
	return word("cores", Caution, mix, mix+" CPUs").claim("cores are of two kinds, and which one a trial gets is "+
		"chance: medians jump between two levels", fix)
}

func (r Readings) virtual() Check {
	v, ok := r.Hypervisor.Get()
	switch {
	case !ok:
		return missing("virtual", r.Hypervisor, "whether this is a virtual machine is not known; steal tells "+
			"when a host takes time")
	case v:
		return word("virtual", Caution, "yes", "a virtual machine").claim("a host may take CPU time, and interrupts "+
			"and timers cost more than on bare metal; what steal and the noise floor show is what came of it",
			"measure on bare metal where the last percent matters")
	}
	return word("virtual", Good, "no", "no hypervisor").claim("no host takes CPU time", "")
}

func (r Readings) memory() Check {
	free, ok := r.MemoryAvailable.Get()
	total, known := r.MemoryTotal.Get()
	if !ok || !known || total == 0 {
		return missing("memory", r.MemoryAvailable, "whether memory is short is not known")
	}
	share := float64(free) / float64(total)
	c := number("memory", Good, share, "ratio", fmt.Sprintf("%s of %s free", bytes(free), bytes(total)))
	if r.MemoryFile != "" {
		c.Evidence += " by " + r.MemoryFile
	}
	pages, swaps := r.Swapped.Get()
	switch {
	case swaps && pages > 0:
		c.Status = Bad
		c.Evidence += fmt.Sprintf("; %s swapped over %s", result.Count(int(pages), "page"), span(r.Window))
		return c.claim("memory is being swapped: trials wait for the disk",
			"end what needs it; or ps -eo rss,args --sort=-rss | head")
	case share < 0.1:
		c.Status = Caution
		return c.claim("memory is nearly used up: a design that needs much will make the machine swap or kill",
			"end what needs it; or ps -eo rss,args --sort=-rss | head")
	}
	return c.claim("there is room, and nothing is swapped", "")
}

// bytes formats a size in GB of 10^9 bytes.
func bytes(n uint64) string { return fmt.Sprintf("%.1f GB", float64(n)/1e9) }

func (r Readings) battery() Check {
	b, ok := r.Battery.Get()
	switch {
	case !ok:
		return missing("battery", r.Battery, "whether the machine runs on a battery is not known")
	case b.Drains:
		return word("battery", Caution, "draining", "runs on its battery").claim("a machine on its battery lowers its "+
			"clocks as it likes", "plug it in")
	case b.Present:
		return word("battery", Good, "plugged-in", "plugged in").claim("power is not saved", "")
	}
	return word("battery", Good, "none", "no battery").claim("power is not saved", "")
}
