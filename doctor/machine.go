package doctor

import (
	"fmt"

	"github.com/brewput/brewput/result"
)

// The checks of the hardware and its settings.

func (r Readings) governor() Check {
	all, ok := r.Governors.Get()
	if !ok || len(all) == 0 {
		return missing("governor", r.Governors, "it is unknown how clock rates are set; the burn probes of trials "+
			"detect drift")
	}
	c := word("governor", Good, flat(all), flat(all))
	if len(all) == 1 && all[0] == "performance" {
		return c.claim("clock rates stay high between trials", "")
	}
	c.Status = Caution
	return c.claim("clock rates follow the load: short trials and waiting designs look too slow",
		"echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor")
}

func (r Readings) boost() Check {
	b, ok := r.Boost.Get()
	if !ok {
		return missing("boost", r.Boost, "it is unknown whether clocks are faster when few CPUs work, which makes "+
			"scaling look worse")
	}
	if !b.On {
		return word("boost", Good, "off", "off").claim("clock rates do not depend on how many CPUs work", "")
	}
	return word("boost", Caution, "on", "on").claim("clocks are faster when few CPUs work: scaling over "+
		"CPUs looks too bad",
		fmt.Sprintf("echo %s | sudo tee %s", b.Write, b.File))
}

func (r Readings) smt() Check {
	s, ok := r.SMT.Get()
	if !ok {
		return missing("smt", r.SMT, "it is unknown whether CPUs share a core, which makes scaling look worse")
	}
	c := number("smt", Good, float64(s.Threads), "", result.Count(s.Threads, "thread")+" per core online")
	virtual, _ := r.Hypervisor.Get()
	if virtual {
		c.Evidence += ", as the host reports it"
	}
	switch {
	case virtual && s.Usable <= 1:
		c.Status = Unknown // the topology is usually made up
		return c.claim("the host places CPUs: if two share a core, scaling looks worse than it is", "")
	case s.Threads <= 1:
		return c.claim("each CPU is a core of its own", "")
	case s.Usable <= 1:
		c.Evidence += ", one of them usable by this process"
		return c.claim("each CPU of a trial is a core of its own, if its sibling stays idle", "")
	}
	c.Status = Caution
	fix := "echo off | sudo tee /sys/devices/system/cpu/smt/control"
	if s.One != "" {
		fix = fmt.Sprintf("taskset -c %s %s run ...; or %s", s.One, r.Program, fix)
	}
	return c.claim("CPUs share cores: two on one core are much slower than two on two cores", fix)
}

func (r Readings) cores() Check {
	k, ok := r.Cores.Get()
	if !ok {
		return missing("cores", r.Cores, "it is unknown whether all cores are of one kind")
	}
	if k.Performance == 0 || k.Efficiency == 0 {
		return word("cores", Good, "alike", "all of one kind").claim("trials are equally fast on all cores", "")
	}
	mix := fmt.Sprintf("%d fast, %d slow", k.Performance, k.Efficiency)
	fix := "measure more blocks; or use a machine whose cores are alike"
	if k.Fast != "" {
		fix = fmt.Sprintf("taskset -c %s %s run ...", k.Fast, r.Program)
	}
	return word("cores", Caution, mix, mix+" CPUs").claim("fast and slow cores: medians jump, because a trial "+
		"may run on either", fix)
}

func (r Readings) virtual() Check {
	v, ok := r.Hypervisor.Get()
	switch {
	case !ok:
		return missing("virtual", r.Hypervisor, "it is unknown whether this is a virtual machine; see steal")
	case v:
		return word("virtual", Caution, "yes", "a virtual machine").claim("the host may take CPU time: steal and the "+
			"noise floor show how much", "measure on bare metal if the last percent matters")
	}
	return word("virtual", Good, "no", "no hypervisor").claim("no host takes CPU time from this machine", "")
}

func (r Readings) memory() Check {
	free, ok := r.MemoryAvailable.Get()
	total, known := r.MemoryTotal.Get()
	if !ok || !known || total == 0 {
		return missing("memory", r.MemoryAvailable, "it is unknown whether memory is short")
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
		return c.claim("memory is swapped: trials wait for the disk", listLargest)
	case share < 0.1:
		c.Status = Caution
		return c.claim("memory is nearly full: a design that needs much makes the machine swap", listLargest)
	}
	return c.claim("enough memory is free, and nothing is swapped", "")
}

// listLargest is the command that lists the processes that use most memory.
const listLargest = "ps -eo rss,args --sort=-rss | head  # and stop what you can"

// bytes formats a size in GB of 10^9 bytes.
func bytes(n uint64) string { return fmt.Sprintf("%.1f GB", float64(n)/1e9) }

func (r Readings) battery() Check {
	b, ok := r.Battery.Get()
	switch {
	case !ok:
		return missing("battery", r.Battery, "it is unknown whether the machine runs on battery")
	case b.Drains:
		return word("battery", Caution, "draining", "runs on battery").claim(
			"the machine lowers its clocks to save power", "plug it in")
	case b.Present:
		return word("battery", Good, "plugged-in", "plugged in").claim("the machine does not save power", "")
	}
	return word("battery", Good, "none", "no battery").claim("the machine does not save power", "")
}
