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
		return missing("clock", r.ClockSource, "it is unknown which clock times operations; see clock-read")
	}
	if slices.Contains(fast, name) {
		return word("clock", Good, name, name).claim("reading the clock takes no system call", "")
	}
	fix := "boot with clocksource=tsc tsc=reliable, if the machine's TSC is reliable"
	for _, f := range fast {
		if slices.Contains(r.ClockSources, f) {
			fix = fmt.Sprintf("echo %s | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource", f)
			break
		}
	}
	return word("clock", Caution, name, name).claim("reading this clock takes a system call, once for "+
		"each operation", fix)
}

func (r Readings) clockRead() Check {
	d, ok := r.ClockRead.Get()
	if !ok {
		return missing("clock-read", r.ClockRead, "it is unknown what reading the clock costs")
	}
	c := number("clock-read", grade(float64(d), 100, 1000), float64(d), "ns", span(d)+" per read")
	if c.Status == Good {
		return c.claim("timing costs less than 1% of an operation of 10 µs or more", "")
	}
	return c.claim(fmt.Sprintf("timing costs more than 1%% of an operation shorter than %s", span(100*d)),
		"time fewer operations, such as one in 10; or change the clock (see clock)")
}

func (r Readings) sleep() Check {
	l, ok := r.Sleep.Get()
	if !ok {
		return missing("sleep", r.Sleep, "it is unknown how late time.Sleep wakes")
	}
	// The runtime waits in epoll, with timeouts in whole milliseconds; its own timers can only shorten them. So
	// slightly more than 1 ms is normal for Go on Linux, and no fault of the machine.
	c := number("sleep", grade(float64(l.Median), 1.2e6, 1e7), float64(l.Median), "ns", late(l))
	late := fmt.Sprintf("%.2g", ms(l.Median))
	if ms(l.Median) >= 99.5 {
		late = fmt.Sprintf("%.0f", ms(l.Median)) // not 1.5e+02
	}
	claim := fmt.Sprintf("in all designs, Sleep, After and Wait take about %s ms longer than asked", late)
	if c.Status == Bad {
		c.Status = Caution // designs that never wait are not affected
	}
	return c.claim(claim,
		"see timer, steal and virtual: idle CPUs sleep deeply, or the host wakes them late")
}

func (r Readings) timer() Check {
	l, ok := r.Timer.Get()
	if !ok {
		return missing("timer", r.Timer, "it is unknown how late kernel timers wake goroutines")
	}
	c := number("timer", grade(float64(l.Median), 1e5, 1e9), float64(l.Median), "ns", late(l))
	claim := "CPUs wake late from deep sleep: open-loop arrivals and network replies are late"
	// CPUs then do not sleep so deeply that they take longer than 10 or 0 µs to wake. The second also works in virtual
	// machines with a cpuidle driver, for an hour. Without the device, > would create a regular file.
	const shallow = "sudo cpupower idle-set -D 10"
	const awake = `sudo -b sh -c '[ -c $0 ] || { echo $0 is missing >&2; exit 1; }; exec 3>$0 && printf "\0\0\0\0" >&3 && sleep 1h' /dev/cpu_dma_latency`
	fix := shallow + "; or " + awake
	if virtual, _ := r.Hypervisor.Get(); virtual {
		fix = awake + "; or " + shallow
	}
	if slack, ok := r.TimerSlack.Get(); ok {
		c.Evidence += "; timer slack " + span(slack)
		if slack > usualSlack {
			c.Status = Caution
			claim = "the timer slack delays short sleeps of the scheduler: idle CPUs get work late"
			fix = fmt.Sprintf("echo %d > /proc/$$/timerslack_ns", usualSlack.Nanoseconds())
		}
	}
	if c.Status == Good {
		return c.claim("open-loop arrivals are on time", "")
	}
	return c.claim(claim, fix)
}

// usualSlack is the default timer slack of a process (init_task of Linux).
const usualSlack = 50 * time.Microsecond

// late describes the lateness of a sleeper.
func late(l Lateness) string {
	return fmt.Sprintf("wakes %s late (median), %s late (p90)", span(l.Median), span(l.P90))
}
