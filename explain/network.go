package explain

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/evidence"
)

// serves reports whether the program is a server, which is idle when it waits for connections.
func (a *analysis) serves() bool {
	waits := slices.ContainsFunc(a.trace.Waits, func(w evidence.Wait) bool {
		return w.Count > 0 && acceptsConnections(w.Stack)
	})
	if !waits && !a.acceptsByProfile() || a.mainRequests() || a.onlyListens() {
		return false
	}
	return !slices.ContainsFunc(a.trace.Waits, func(w evidence.Wait) bool {
		return containsAny(w.Stack, "net.(*sysDialer)", "net/http.(*persistConn)", "net/http.(*Client)")
	})
}

// onlyListens reports whether the program listens, as for a profiler, but is a job: nothing connected, the listener was
// not closed, and the program ended by itself. A server is interrupted while its main goroutine waits.
func (a *analysis) onlyListens() bool {
	return a.accepts() && !slices.ContainsFunc(a.trace.Waits, func(w evidence.Wait) bool {
		return w.Waited > 0 && acceptsConnections(w.Stack) || w.Pending > 0 && a.waitsInMain(&w)
	})
}

// accepts reports whether the program accepts connections, in any goroutine.
func (a *analysis) accepts() bool {
	return slices.ContainsFunc(a.trace.Waits, func(w evidence.Wait) bool { return acceptsConnections(w.Stack) })
}

// mainAccepts reports whether the main goroutine accepts connections. Its external waits may then be for requests, as
// in a server, or for the answers of its workers.
func (a *analysis) mainAccepts() bool {
	return slices.ContainsFunc(a.trace.Waits, func(w evidence.Wait) bool {
		return acceptsConnections(w.Stack) && a.waitsInMain(&w)
	})
}

// mainRequests reports whether the main goroutine waits for replies most of the time. The other side is then in the
// same program, or the program is also a client.
func (a *analysis) mainRequests() bool {
	for i := range a.trace.Waits {
		w := &a.trace.Waits[i]
		if a.waitsInMain(w) && a.fraction(w.Waited) >= minExternalShare &&
			(w.Op == evidence.OpNetwork && !acceptsConnections(w.Stack) ||
				a.wokenByLibrary(w) != nil) {
			return true
		}
	}
	return false
}

// handlesConnections reports whether a class was started by the function that accepts connections, so that it waits for
// requests.
func (a *analysis) handlesConnections(c *evidence.Class) bool {
	by, ok := a.prog.ownFrame(c.Created)
	return ok && slices.ContainsFunc(a.trace.Waits, func(w evidence.Wait) bool {
		at, ok := a.prog.ownFrame(w.Stack)
		return ok && at.Function == by.Function && acceptsConnections(w.Stack)
	})
}

// servesConnections reports whether the goroutines of a class, which a library starts, wait for connections or read
// them in its code, or whether functions of libraries that do so started them. The connections and listeners may be
// those of the program.
func (a *analysis) servesConnections(c *evidence.Class) bool {
	serves := func(stack []evidence.Frame) bool { return acceptsConnections(stack) || receives(stack) }
	for i := range a.trace.Waits {
		w := &a.trace.Waits[i]
		if w.Op != evidence.OpNetwork || !serves(w.Stack) || !a.isIn(c, w.Classes...) {
			continue
		}
		_, whole := a.prog.networkPart(w.Stack)
		// A stack that is cut does not show whether the program is in it.
		if whole && evidence.StartFrame(w.Stack).Function == c.Start.Function {
			return true
		}
	}
	return a.startedByAny(c, a.libraryFunctions(serves))
}

// connectionMethod matches the names of methods by which connections and listeners of a program wrap others.
var connectionMethod = regexp.MustCompile(`\.(\(.+\)|\w+(\[\.\.\.\])?)\.(Read|ReadByte|ReadFrom|Accept)$`)

// networkPart returns the frames of a stack before the first one of the program that is no method of a connection or a
// listener, and whether they are all. Such a method calls another module only by a method of the same kind.
func (p program) networkPart(stack []evidence.Frame) (part []evidence.Frame, whole bool) {
	wraps := func(f evidence.Frame) bool { return connectionMethod.MatchString(f.Function) }
	for i, f := range stack {
		if p.isOwn(f) && (i == 0 || !wraps(f) || p.isForeign(stack[i-1]) && !wraps(stack[i-1])) {
			return stack[:i], false
		}
	}
	return stack, true
}

// acceptIn reports whether a function of the program in a stack accepts connections itself, or by its own listener, and
// not by a server of a library. It waits for them more than once at one place: a single accepted connection does not
// make a server.
func (a *analysis) acceptIn(stack []evidence.Frame) bool {
	return slices.ContainsFunc(a.trace.Waits, func(w evidence.Wait) bool {
		if w.Op != evidence.OpNetwork || !acceptsConnections(w.Stack) || w.Count < 2 {
			return false
		}
		for i := 1; i < len(w.Stack); i++ {
			called, by := functionName(w.Stack[i-1].Function), w.Stack[i]
			if strings.HasPrefix(strings.ToLower(called), "accept") && a.prog.isOwn(by) &&
				slices.ContainsFunc(stack, func(f evidence.Frame) bool { return f.Function == by.Function }) {
				return true
			}
		}
		return false
	})
}

// libraryFunctions returns the functions of other modules that wait for the network as a predicate of the stack says,
// or that call one which does. The predicate gets the networkPart.
func (a *analysis) libraryFunctions(is func(stack []evidence.Frame) bool) map[string]bool {
	functions := map[string]bool{}
	for i := range a.trace.Waits {
		w := &a.trace.Waits[i]
		if w.Op != evidence.OpNetwork {
			continue
		}
		if library, _ := a.prog.networkPart(w.Stack); is(library) {
			for _, f := range library {
				if a.prog.isForeign(f) && !evidence.IsWrapper(f.Function) {
					functions[f.Function] = true
				}
			}
		}
	}
	return functions
}

// startedByAny reports whether one of some functions of libraries started a class, directly or through goroutines that
// each started the next, without a function of the program in between.
func (a *analysis) startedByAny(c *evidence.Class, functions map[string]bool) (is bool) {
	if len(functions) == 0 {
		return false
	}
	walk(c, func(level []*evidence.Class) (starters []*evidence.Class) {
		for _, o := range level {
			library, _ := a.prog.libraryPart(o.Created)
			if slices.ContainsFunc(library, func(f evidence.Frame) bool { return functions[f.Function] }) {
				is = true
				return nil
			}
			starters = append(starters, a.starters(o)...)
		}
		return starters
	})
	return is
}

// stopAndWait finds a goroutine that waits for each reply from the network before it sends the next request. waits is
// the number of waits of each goroutine, and libraryWaits the time of those that a library goroutine ended.
func (a *analysis) stopAndWait(c *evidence.Class, waits int64, libraryWaits time.Duration) (Finding, bool) {
	sent := a.sendings()[c]
	each := sent.count / int64(max(1, c.Peak))
	if paced(c, libraryWaits) || a.answersPaced(c) {
		return Finding{}, false
	}
	if waits < 20 || each < 10 || float64(each) > 3*float64(waits) || float64(waits) > 3*float64(each) ||
		sent.at.File == "" {
		return Finding{}, false
	}

	f := a.newFinding(StopAndWait, "%s for a reply before the next request.",
		capitalize(a.className(c))+" "+verb(c, "waits", "each wait"))
	f.Where = []string{a.prog.position(sent.at)}
	f.Share = a.demandShare(0)
	left := a.lowerBound()
	most := 1 - left
	f.Gain = newGain(0.85*most, 0.4*most, most)
	f.citef("%d requests and %d waits for replies, in turns", each, waits)
	f.citef("no goroutine wanted a CPU for %s of the time", percent(a.demandShare(0)))
	f.citef("%s", a.quote(sent.at))

	f.Alternative = "Each request needs the reply to the one before."
	f.Fix = "Pipeline requests with a bound on those outstanding, or batch them."
	f.Experiment = "Allow two outstanding requests: if time halves, waiting was the limit."
	return f, true
}

// sending is how often goroutines of a class send to a connection, and where most.
type sending struct {
	count, most int64
	at          evidence.Frame
}

// sendings returns them by class.
func (a *analysis) sendings() map[*evidence.Class]sending {
	by := map[*evidence.Class]sending{}
	for _, k := range a.trace.Syscalls {
		if !sends(k.Stack) {
			continue
		}
		c := &a.trace.Classes[k.Class]
		s := by[c]
		s.count += k.Count
		if at, ok := a.prog.ownFrame(k.Stack); ok && k.Count > s.most {
			s.most, s.at = k.Count, at
		}
		by[c] = s
	}
	return by
}

// answersPaced reports whether other goroutines of the program send as often as a class, and are paced: the class may
// answer their requests.
func (a *analysis) answersPaced(c *evidence.Class) bool {
	by := a.sendings()
	for o, s := range by {
		if o != c && s.count >= by[c].count/3 && s.count <= 3*by[c].count && paced(o, 0) {
			return true
		}
	}
	return false
}

// sends reports whether a stack writes to a connection, not to a file.
func sends(stack []evidence.Frame) bool {
	return containsAny(stack, "net.(*conn).Write", "net.(*conn).write", "net.(*netFD).Write", "net.(*netFD).write")
}

// receives reports whether a stack reads from a connection, not from a file or a pipe.
func receives(stack []evidence.Frame) bool {
	return containsAny(stack, "net.(*conn).Read", "net.(*netFD).Read", "net.(*netFD).read")
}

// paced reports whether goroutines that send wait for timers and for work more than a fifth as long as for replies:
// then the next request is not there yet. libraryWaits is the time of the waits for a library that reads the replies.
func paced(c *evidence.Class, libraryWaits time.Duration) bool {
	replies := c.Waiting["network"] + libraryWaits
	return c.Waiting["chan receive"]+c.Waiting["select"]+c.Waiting["sleep"]-libraryWaits > replies/5
}

// dependencyBesideListener is dependency for a program that accepts connections. It may only listen, as for a profiler,
// while the main goroutine waits for a worker.
func (a *analysis) dependencyBesideListener() []Finding {
	s := a.longestSleep(func(c *evidence.Class) bool { return a.wakes(c, isMain) })
	if s == nil {
		return nil
	}
	network := a.sumWaits(func(w *evidence.Wait, _ *evidence.Class) bool { return w.Op == evidence.OpNetwork }, true)
	for i := range a.trace.Syscalls {
		k := &a.trace.Syscalls[i]
		if c := &a.trace.Classes[k.Class]; k.Each.P50 >= blockLong && !isHook(c.Start) && !a.handlesConnections(c) {
			network[k.Class].waited += k.Spent
		}
	}
	for i, x := range network {
		c, waited := &a.trace.Classes[i], x.waited
		awaited := isMain(c) || a.wakes(c, func(w *evidence.Class) bool { return w == s.class || isMain(w) })
		if awaited && s.each < 2*waited/time.Duration(max(1, c.Peak)) {
			return nil // the trace does not tell requests to others from those of clients
		}
	}
	return []Finding{a.sleepFinding(s, false)} // no timer of main ends the run: main waits for the worker
}
