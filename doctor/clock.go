package doctor

import (
	"fmt"
	"slices"
	"time"
)

// The checks of clocks and timers.

// fast are the clock sources that a program reads through the vDSO, without a system call. They are those of
// arch/*/include/asm/vdso/clocksource.h and the timers that set its mode, in Linux 6.
var fast = []string{"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter", "riscv_clocksource",
	"timebase"}

func (r Readings) clock() Check {
	name, ok := r.ClockSource.Get()
	if !ok {
		return missing("clock", r.ClockSource, "which clock times operations is not known; clock-read "+
			"tells what it costs")
	}
	if slices.Contains(fast, name) {
		return word("clock", Good, name, name).claim("the clock is read without a system call", "")
	}
	fix := "boot with another one: clocksource=tsc tsc=reliable, if the machine's TSC is"
	for _, f := range fast {
		if slices.Contains(r.ClockSources, f) {
			fix = fmt.Sprintf("echo %s | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource", f)
			break
		}
	}
	return word("clock", Caution, name, name).claim("reading this clock is a system call, and a trial reads it once "+
		"for each operation", fix)
}

func (r Readings) clockRead() Check {
	d, ok := r.ClockRead.Get()
	if !ok {
		return missing("clock-read", r.ClockRead, "what reading the clock costs is not known")
	}
	c := number("clock-read", grade(float64(d), 100, 1000), float64(d), "ns", span(d)+" a read")
	if c.Status == Good {
		return c.claim("timing an operation costs little: of one that takes 10 µs or more, less than 1%", "")
	}
	return c.claim(fmt.Sprintf("timing an operation costs %s: of operations shorter than %s, more than 1%%", span(d),
		span(100*d)), "time fewer of them, such as one in 10; or change the clock (see clock)")
}

func (r Readings) sleep() Check {
	l, ok := r.Sleep.Get()
	if !ok {
		return missing("sleep", r.Sleep, "how late time.Sleep wakes is not known")
	}
	// The runtime waits in epoll, with timeouts in whole milliseconds; its own timers can only shorten them. So
	// slightly more than 1 ms is normal for Go on Linux, and no fault of the machine.
	c := number("sleep", grade(float64(l.Median), 1.2e6, 1e7), float64(l.Median), "ns", late(l))
	claim := fmt.Sprintf("designs that wait with Sleep, After or Wait wait about %.2g ms longer than they ask for; "+
		"it is the same for all", ms(l.Median))
	if c.Status == Bad {
		c.Status = Caution // designs that never wait are not affected
	}
	return c.claim(claim,
		"idle CPUs may sleep deeply, or a host may be late to wake them: see timer, steal and virtual")
}

func (r Readings) timer() Check {
	l, ok := r.Timer.Get()
	if !ok {
		return missing("timer", r.Timer, "how late a timer of the kernel wakes is not known")
	}
	c := number("timer", grade(float64(l.Median), 1e5, 1e9), float64(l.Median), "ns", late(l))
	claim := "arrivals of an open loop come this late, and so do goroutines that the network wakes: CPUs that sleep " +
		"deeply take long to wake"
	fix := "sudo cpupower idle-set -D 10" // no sleep state with a wake-up latency above 10 µs
	if slack, ok := r.TimerSlack.Get(); ok {
		c.Evidence += "; timer slack " + span(slack)
		if slack > usualSlack {
			c.Status = Caution
			claim = "the kernel stretches short sleeps by its timer slack, those of the runtime's scheduler " +
				"included: work reaches idle CPUs late"
			fix = fmt.Sprintf("echo %d > /proc/$$/timerslack_ns", usualSlack.Nanoseconds())
		}
	}
	if c.Status == Good {
		return c.claim("arrivals of an open loop come nearly at their time", "")
	}
	return c.claim(claim, fix)
}

// usualSlack is the default timer slack of a process (init_task of Linux).
const usualSlack = 50 * time.Microsecond

// late describes the lateness of a sleeper.
func late(l Lateness) string {
	return fmt.Sprintf("wakes %s late in the median, %s once in 10", span(l.Median), span(l.P90))
}
