package explain

import (
	"math"
	"slices"
	"time"

	"github.com/brewput/brewput/evidence"
)

// Thresholds for page faults.
const (
	faultShare   = 0.1                    // fraction of the CPU time in page faults
	faultOnce    = 0.3                    // and of faults that no change is known to save
	faultsAgain  = 0.7                    // fraction of the faults for memory that the program had before
	fewestFaults = 10_000                 // page faults that are worth a finding
	longestFault = 5 * time.Microsecond   // mean time of a fault that makes a page accessible
	hugeFault    = 300 * time.Microsecond // and of one for a huge page of memory that was mapped
	childCPUTime = 0.02                   // fraction of the CPU time that child processes use
)

// Memory that a page fault makes accessible: a page, as on amd64, or a huge page.
const (
	faultBytes = 4 << 10
	hugeBytes  = 2 << 20
)

// kernelFunctions are those of the Go runtime that call the kernel.
var kernelFunctions = []string{"internal/runtime/syscall", "runtime.futex", "runtime.madvise", "runtime.mmap",
	"runtime.munmap", "runtime.sysMmap", "runtime.sysMunmap", "runtime.callCgoMmap", "runtime.callCgoMunmap",
	"runtime.usleep", "runtime.osyield", "runtime.clone", "runtime.tgkill", "runtime.rtsigprocmask",
	"runtime.sigaltstack", "runtime.rt_sigaction", "runtime.epollwait", "runtime.write1", "runtime.closefd",
	"runtime.nanotime", "runtime.walltime", "time.now", "runtime._VDSO"} // clocks that are system calls

// otherKernelFunctions are whole names: C code, whose calls a CPU profile does not show, and others.
var otherKernelFunctions = []string{"runtime._ExternalCode", "runtime.read", "runtime.open"}

// inKernel reports whether a sample may be in a call of the kernel.
func (w *weightedSample) inKernel() bool {
	return w.category == SystemCalls || len(w.stack) > 0 && (hasAnyPrefix(w.stack[0].Function, kernelFunctions...) ||
		slices.Contains(otherKernelFunctions, w.stack[0].Function))
}

// pageFaults finds CPU time that the kernel spends on page faults. They happen when code first touches memory, and a
// CPU profile counts them as part of that code.
func pageFaults(a *analysis) []Finding {
	spent := a.faultTime()
	share := spent / math.Max(a.used, 1e-9)
	if share < faultShare {
		return nil
	}
	touched := faultBytes * float64(a.run.Faults)
	had := math.Max(a.metric("/memory/classes/total:bytes"), float64(a.run.PeakBytes))
	known := a.metric("/memory/classes/total:bytes") > 0 && a.run.PeakBytes > 0
	again := known && 1-had/touched >= faultsAgain
	if !again && share < faultOnce {
		return nil
	}

	f := a.newFinding(PageFaults, "The kernel seems to spend %s of the CPU time on page faults.", percent(share))
	f.Level, f.Share = ProfileLevel, share
	f.citef("%s in the kernel outside of calls, and %d page faults", formatSeconds(spent), a.run.Faults)
	if g, ok := a.faultLine(share); ok {
		f.Where = []string{a.prog.position(g.at)}
		f.citef("%s of the goroutines' CPU time is at %s", percent(g.share), a.quote(g.at))
	}
	f.Alternative = "The memory is needed once, and the kernel must make each page accessible."
	f.Fix = "Keep less data, or values that take less memory."
	f.Experiment = "Halve the data: the page faults should fall by half, too."
	if !again {
		f.Confidence = Low
		return []Finding{f}
	}
	f.citef("they touched %.0f MB, and the program had at most %.0f MB", touched/1e6, had/1e6)
	saved := share * (1 - had/touched) * a.activeFraction()
	f.Gain = newGain(0.8*saved, 0.3*saved, saved)
	f.Alternative = "Each part of the work needs memory that the one before cannot leave behind."
	f.Fix = "Reuse large buffers, and read into one instead of mapping files."
	f.Experiment = "Allocate the large buffers once at the start: the faults should go."
	if a.returnsMemory() {
		f.Fix = "Do not call debug.FreeOSMemory while the program needs the memory again."
		f.Experiment = "Leave out the calls of debug.FreeOSMemory: the faults should go."
	}
	return []Finding{f}
}

// faultLine returns the line of the program with the page faults, if only one has so much CPU time, or if it clears,
// copies or allocates memory for half of theirs.
func (a *analysis) faultLine(share float64) (group, bool) {
	lines := a.hottestLines(nil, 1)
	if len(lines) > 0 && 1-lines[0].share*a.cpu.user/a.cpu.total < share {
		return lines[0], true
	}
	lines = a.cpu.groupBy(func(w *weightedSample) (evidence.Frame, bool) {
		if len(w.stack) == 0 || !hasAnyPrefix(w.stack[0].Function, "runtime.memclr", "runtime.memmove",
			"runtime.mallocgcLarge") {
			return evidence.Frame{}, false
		}
		return a.prog.ownFrame(w.stack)
	})
	if len(lines) == 0 || lines[0].share*a.cpu.user/a.cpu.total < share/2 {
		return group{}, false
	}
	return lines[0], true
}

// returnsMemory reports whether the CPU profile shows debug.FreeOSMemory.
func (a *analysis) returnsMemory() bool {
	for _, w := range a.cpu.list {
		if containsAny(w.stack, "runtime/debug.FreeOSMemory", "runtime/debug.freeOSMemory") {
			return true
		}
	}
	return false
}

// faultTime returns the CPU time, in seconds, that the kernel seems to spend on page faults: all of its time but what
// the CPU profile may have in calls. It is 0 if that is unknown, as with child processes, whose time the kernel adds,
// or if there are too few faults to explain it.
func (a *analysis) faultTime() float64 {
	if a.run == nil || !a.hasSamples() || a.run.Faults < fewestFaults ||
		a.run.Children.Seconds() > childCPUTime*a.used {
		return 0
	}
	calls := a.cpu.shareOf((*weightedSample).inKernel)
	spent := a.run.System.Seconds() - math.Min(1, calls+a.shareHalfWidth(calls))*a.used
	most := longestFault.Seconds()*float64(a.run.Faults) +
		hugeFault.Seconds()*a.metric("/memory/classes/total:bytes")/hugeBytes
	if spent > most {
		return 0
	}
	return math.Max(0, spent)
}

// Thresholds for system calls that contend in the kernel.
const (
	callCost    = 0.3                   // fraction of the goroutines' CPU time in system calls
	callTime    = 50 * time.Millisecond // CPU time of the kernel on one CPU
	callUnknown = 1.3                   // CPU time in the kernel, divided by that in system calls
)

// contendedCalls finds system calls that take more CPU time on several CPUs than on one, although the rest of the
// program does not: they may wait for each other in the kernel.
func (a *analysis) contendedCalls() (Finding, bool) {
	system := a.inflationOf(func(r *evidence.Run) time.Duration { return r.System }) / a.moreCalls()
	user := a.inflationOf(func(r *evidence.Run) time.Duration { return r.User })
	if !(system >= inflated) || !(user < sharedInfl) || a.cpus < 2 || a.oneCPU.Count < 3 || a.run.Count < 3 ||
		a.oneCPU.System < callTime || !a.hasSamples() || a.trace == nil || a.widestClass() == nil ||
		a.saturation() < 0.5 {
		return Finding{}, false
	}
	call := func(w *weightedSample) bool {
		return w.category == SystemCalls && !containsAny(w.stack, "runtime.cgocall")
	}
	all, calls := 0.0, 0.0
	for i := range a.cpu.list {
		if w := &a.cpu.list[i]; call(w) {
			all += w.weight / a.cpu.total
			calls += w.weight / math.Max(a.cpu.user, 1e-9)
		}
	}
	if calls < callCost || a.run.System.Seconds() > callUnknown*all*a.used { // futexes and faults are no calls
		return Finding{}, false
	}

	f := a.newFinding(WorkInflation, "Each system call takes %.2fx as much CPU time on %d CPUs as on one.", system,
		a.run.CPUs)
	f.Share = (1 - 1/system) * a.run.System.Seconds() / a.used
	f.citef("CPU time in the kernel: %s on one CPU, %s on %d; outside of it %s and %s", formatDuration(a.oneCPU.System),
		formatDuration(a.run.System), a.run.CPUs, formatDuration(a.oneCPU.User), formatDuration(a.run.User))
	for _, g := range a.cpu.groupBy(func(w *weightedSample) (evidence.Frame, bool) {
		if !call(w) {
			return evidence.Frame{}, false
		}
		return a.prog.ownFrame(w.stack)
	}) {
		if len(f.Where) < 2 && g.share >= callCost/3 {
			f.Where = append(f.Where, a.prog.position(g.at))
			f.citef("%s of the goroutines' CPU time is in system calls at %s", percent(g.share), a.quote(g.at))
		}
	}
	saved := f.Share * a.activeFraction()
	f.Gain = newGain(0.7*saved, 0.1*saved, saved)
	f.Alternative = "Each call does more on several CPUs, such as to wake another goroutine's CPU."
	f.Fix = "Make fewer, larger calls; if goroutines share a file, give each its own."
	f.Experiment = "Give each goroutine a file of its own: the calls should get faster."
	return f, true
}

// moreCalls returns how many times as many calls read and write on several CPUs as on one, but at least 1; 1 if that is
// unknown.
func (a *analysis) moreCalls() float64 {
	if a.run == nil || a.oneCPU == nil || a.run.Reads < 0 || a.run.Writes < 0 || a.oneCPU.Reads+a.oneCPU.Writes <= 0 {
		return 1
	}
	return math.Max(1, float64(a.run.Reads+a.run.Writes)/float64(a.oneCPU.Reads+a.oneCPU.Writes))
}
