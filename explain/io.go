package explain

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/evidence"
)

// Thresholds for input and output. The values come from reviewed programs that read single bytes and write row by row.
const (
	ioShare    = 0.15                  // fraction of the goroutines' CPU time in small calls
	ioBytes    = 512.0                 // bytes below which a call is small
	ioBuffer   = 4096.0                // bytes that package bufio moves at once
	ioRate     = 2000.0                // calls a second from which a call counts as a habit
	ioShort    = 5 * time.Microsecond  // duration of a call that copies no more than a page
	blockShare = 0.3                   // fraction of the time in calls that block
	blockLong  = 20 * time.Microsecond // duration after which sysmon usually takes the CPU away (runtime/proc.go)
)

// ioFunctions are the functions that read and write, as the program calls them.
var ioFunctions = []string{"os.(*File).Read", "os.(*File).Write", "os.(*File).ReadAt", "os.(*File).WriteAt",
	"os.(*File).WriteString", "net.(*conn).Read", "net.(*conn).Write", "syscall.Read", "syscall.Write", "syscall.Pread",
	"syscall.Pwrite", "internal/poll.(*FD).Read", "internal/poll.(*FD).Write"}

// ioCall returns the index of the outermost function of a stack that reads or writes, and the position of the program's
// call.
func (p program) ioCall(stack []evidence.Frame) (call int, at evidence.Frame, ok bool) {
	call = -1
	for i, f := range stack {
		if hasAnyPrefix(f.Function, ioFunctions...) {
			call = i
		}
	}
	if call < 0 {
		return call, at, false
	}

	at, ok = p.ownFrame(stack[call:])
	return call, at, ok
}

// isWrite reports whether an I/O function writes.
func isWrite(function string) bool {
	return strings.Contains(function, ".Write") || strings.Contains(function, "Pwrite")
}

// unbufferedIO finds positions where each system call moves only a few bytes.
func unbufferedIO(a *analysis) []Finding {
	var out []Finding
	for _, g := range a.ioByFunction() {
		i, at, ok := a.prog.ioCall(g.sample)
		if !ok {
			continue
		}
		name := g.sample[i].Function
		count, each, classCount := a.callsAt(at)
		bytes, known := a.bytesPerCall(isWrite(name))
		buffered := containsAny(g.sample, "bufio.")
		rate := a.callRate(isWrite(name), count)
		switch {
		case g.share < ioShare || rate < ioRate,
			a.prog.isForeign(at) && containsAny(g.sample, "net.(*conn)"), // a library's messages
			known && bytes > ioBytes,
			!known && (buffered || each > ioShort),
			a.awaitsReplies(at, classCount):
			continue
		}
		out = append(out, a.unbufferedFinding(g, at, name, bytes, known, rate, count, each))
		break
	}

	return out
}

// unbufferedFinding returns the finding for small reads or writes at a position. bytes is the mean size of a call if it
// is known, rate the number of calls a second (+Inf if unknown), and count and each describe the traced calls.
func (a *analysis) unbufferedFinding(g group, at evidence.Frame, name string, bytes float64, known bool, rate float64,
	count int64, each time.Duration) Finding {

	kept := 1 / 16.0 // fraction of the calls that is assumed to remain, if the size is unknown
	if known {
		kept = math.Min(0.5, math.Max(bytes, 1)/ioBuffer)
	}

	verb, reader := "reads", "bufio.NewReader"
	if isWrite(name) {
		verb, reader = "writes", "bufio.NewWriter, and Flush at the end"
	}

	size := "a few bytes"
	if known {
		size = formatNumber(bytes) + " bytes"
		if size == "1 bytes" {
			size = "1 byte"
		}
	}

	f := a.newFinding(UnbufferedIO, "Each system call %s only %s.", verb, size)
	f.Where = []string{a.prog.position(at)}
	f.Share = g.share
	d := a.shareHalfWidth(g.share)
	b := a.activeFraction() * (1 - kept)
	f.Gain = newGain(g.share*b, (g.share-d)*b*0.9, (g.share+d)*b*1.05)
	f.Confidence = High
	f.citef("%s of the goroutines' CPU time is in %s, called at %s", percent(g.share), shortName(name), a.quote(at))
	if !math.IsInf(rate, 0) { // the calls are counted
		f.citef("%.0f calls a second, %s each", rate, size)
	}
	if count > 0 {
		f.citef("the trace has %d calls there, half of them shorter than %s", count, formatDuration(each))
	}

	f.Alternative = "The other side needs each piece at once, so it must not wait in a buffer."
	f.Fix = "Use " + reader + ": one call moves " + formatNumber(ioBuffer) + " bytes."
	if isWrite(name) && strings.HasPrefix(name, "os.(*File).") { // a buffer loses its writes if the process is killed
		f.Alternative = "A reader, or recovery after a crash, needs each write at once."
		f.Fix = "Use bufio.NewWriter and Flush, unless crash recovery needs each write."
	}
	f.Experiment = "Buffer it: system calls should fall to " + percent(math.Max(kept, 0.001)) +
		", and the time with them."
	return f
}

// ioGroups returns the positions that spend most CPU time on reading and writing. Without a profile they come from the
// trace.
func (a *analysis) ioGroups() []group {
	if a.hasSamples() {
		return a.cpu.groupBy(func(w *weightedSample) (evidence.Frame, bool) {
			_, at, ok := a.prog.ioCall(w.stack)
			return at, ok && w.root != ""
		})
	}
	if a.trace == nil {
		return nil
	}

	var out []group
	for _, c := range a.trace.Syscalls {
		if _, at, ok := a.prog.ioCall(c.Stack); ok && c.Each.P50 < blockLong {
			out = append(out, group{at: at, share: float64(c.Spent) / float64(max(1, a.totalRunning())),
				sample: c.Stack})
		}
	}

	return out
}

// ioByFunction returns ioGroups with one group for the reads of a function of the program and one for its writes, as of
// the parts of a message. Its position is the one with most CPU time.
func (a *analysis) ioByFunction() (out []group) {
	type side struct {
		function string
		writes   bool
	}
	at := map[side]int{}
	for _, g := range a.ioGroups() {
		call, _, _ := a.prog.ioCall(g.sample)
		s := side{g.at.Function, call >= 0 && isWrite(g.sample[call].Function)}
		if k, ok := at[s]; ok {
			out[k].share += g.share
			continue
		}
		at[s] = len(out)
		out = append(out, g)
	}
	slices.SortStableFunc(out, func(x, y group) int { return cmp.Compare(y.share, x.share) })
	return out
}

// callsAt returns the number of traced calls at a position, their median time, and the class that makes most of them.
func (a *analysis) callsAt(at evidence.Frame) (count int64, each time.Duration, class *evidence.Class) {
	if a.trace == nil {
		return 0, 0, nil
	}

	most := int64(0)
	for _, c := range a.trace.Syscalls {
		if _, here, ok := a.prog.ioCall(c.Stack); ok && here == at {
			count += c.Count
			if c.Count > most {
				most, each = c.Count, c.Each.P50
				class = &a.trace.Classes[c.Class]
			}
		}
	}

	return count, each, class
}

// bytesPerCall returns the mean size of a read or write, as counted by the kernel, and whether it is known.
func (a *analysis) bytesPerCall(write bool) (float64, bool) {
	if a.run == nil {
		return 0, false
	}

	calls, bytes := a.run.Reads, a.run.ReadBytes
	if write {
		calls, bytes = a.run.Writes, a.run.WriteBytes
	}
	if calls <= 0 || bytes < 0 {
		return 0, false
	}

	return float64(bytes) / float64(calls), true
}

// callRate returns the number of reads or writes a second, as counted by the kernel or else in the trace. It is +Inf if
// it is unknown.
func (a *analysis) callRate(write bool, traced int64) float64 {
	if a.run != nil && a.wall > 0 {
		n := a.run.Reads
		if write {
			n = a.run.Writes
		}
		if n > 0 {
			return float64(n) / a.wall
		}
	}
	if a.trace != nil {
		return float64(traced) / a.trace.Duration.Seconds()
	}

	return math.Inf(1)
}

// awaitsReplies reports whether the calls at a position are one side of a request-response exchange. The goroutine then
// waits for a reply about as often as it sends, and a buffer must not hold back what the other side answers.
func (a *analysis) awaitsReplies(at evidence.Frame, c *evidence.Class) bool {
	if a.trace == nil || c == nil {
		return false
	}

	waits := int64(0)
	for _, w := range a.trace.Waits {
		if w.Op == evidence.OpNetwork && a.isIn(c, w.Classes...) {
			waits += w.Count
		}
	}

	count, _, _ := a.callsAt(at)
	return count > 0 && float64(waits) > 0.3*float64(count)
}
