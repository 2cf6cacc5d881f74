package explain

import (
	"math"
	"slices"

	"github.com/brewput/brewput/evidence"
)

// Thresholds for two goroutines of one program that talk over a connection.
const (
	turnsAlone  = 0.85   // fraction of the time in which at most one goroutine wants a CPU
	turnsSlower = 0.7    // the same, if several CPUs are clearly slower than one
	turnsRate   = 1000.0 // exchanges a second
	turnsOwn    = 0.8    // fraction of the time in which one goroutine wants a CPU that it is one of the two
	turnsEither = 0.9    // fraction of the time that no goroutine computes more than
)

// peer is a class of one goroutine that waits for a connection, and how often it does.
type peer struct {
	class int // index of Trace.Classes
	waits int64
}

// requestTurns finds a client and a server in one program that wait for each other in turns: one request is outstanding
// at a time, so that only one of them works.
func requestTurns(a *analysis) []Finding {
	least := turnsAlone
	if a.isClearlySlower() {
		least = turnsSlower
	}
	if !a.hasLongTrace() || a.cpus < 2 || a.demandShare(0) >= 0.5 || // see dependency
		a.demandShare(0)+a.demandShare(1) < least {
		return nil
	}

	client, server, ok := a.clientAndServer()
	if !ok || client.waits > 2*server.waits || server.waits > 2*client.waits {
		return nil
	}
	c, s, sent := &a.trace.Classes[client.class], &a.trace.Classes[server.class], a.sendings()
	replies := a.replyingClass(client, server, sent)
	if sent[c].count < client.waits/3 || sent[replies].count < server.waits/3 {
		return nil // one of them only sends, and the other only receives
	}
	alone, served := c.Alone+s.Alone, s.Running
	if replies != s {
		alone += replies.Alone
		served += replies.Running
	}
	if paced(c, 0) || a.fraction(alone) < turnsOwn*a.demandShare(1) {
		return nil // the next request is not there yet, or others work meanwhile
	}
	busiest := a.busiestMember()
	if busiest > turnsEither {
		return nil
	}
	f := a.newFinding(StopAndWait, "%s waits for a reply before the next request, and the server for that request.",
		capitalize(a.className(c)))
	f.Share = 1 - busiest
	if sent[c].most > 0 {
		f.Where = []string{a.prog.position(sent[c].at)}
	}
	f.citef("%d waits for replies and %d for requests, in turns", client.waits, server.waits)
	f.citef("the client computes for %s of the time, and the server for %s", percent(a.fraction(c.Running)),
		percent(a.fraction(served)))
	f.citef("at most one goroutine wanted a CPU for %s of the time", percent(a.demandShare(0)+a.demandShare(1)))
	most := 1 - a.lowerBound(busiest)
	f.Gain = newGain(0.8*most, 0.4*most, most)
	f.Alternative = "Each request needs the reply to the one before."
	f.Fix = "Pipeline requests with a bound on those outstanding, or batch them."
	f.Experiment = "Allow two outstanding requests: both sides should work at the same time."
	return []Finding{f}
}

// busiestMember returns how long a goroutine of the busiest class runs, as a fraction of the time.
func (a *analysis) busiestMember() (busiest float64) {
	for _, c := range a.classes() {
		busiest = math.Max(busiest, a.fraction(c.Running)/float64(max(1, c.Peak)))
	}
	return busiest
}

// clientAndServer returns the only two classes that wait for a connection often, of a program that is both a client and
// a server. If one has several goroutines, it returns none: the others may work while one waits.
func (a *analysis) clientAndServer() (client, server peer, ok bool) {
	waits, accepting := map[int]int64{}, map[int]bool{}
	for _, w := range a.trace.Waits {
		for _, k := range w.Classes {
			switch {
			case w.Op != evidence.OpNetwork:
			case acceptsConnections(w.Stack):
				accepting[k] = true
			case receives(w.Stack):
				waits[k] += w.Count
			}
		}
	}
	acceptors := a.libraryFunctions(acceptsConnections)
	for k, n := range waits {
		if a.rate(n) < turnsRate {
			continue
		}
		c, of := &a.trace.Classes[k], &client
		if accepting[k] || a.handlesConnections(c) || a.startedByAny(c, acceptors) ||
			slices.ContainsFunc(c.Created, func(f evidence.Frame) bool { return acceptors[f.Function] }) {
			of = &server
		}
		if c.Peak != 1 || of.waits > 0 {
			return peer{}, peer{}, false
		}
		*of = peer{k, n}
	}
	return client, server, client.waits > 0 && server.waits > 0
}

// replyingClass returns the class that sends the replies to the requests that a server reads: itself, or one goroutine
// that it wakes for at least a third of them, and that sends more. It never returns the client.
func (a *analysis) replyingClass(client, server peer, sent map[*evidence.Class]sending) *evidence.Class {
	best := &a.trace.Classes[server.class]
	for i := range a.trace.Waits {
		w := &a.trace.Waits[i]
		if len(w.Classes) != 1 || w.Classes[0] == client.class || w.Op != evidence.OpReceive {
			continue
		}
		o := &a.trace.Classes[w.Classes[0]]
		for _, k := range w.Wakers {
			if k.Class == server.class && k.Count >= server.waits/3 && o.Peak == 1 &&
				sent[o].count > sent[best].count {
				best = o
			}
		}
	}
	return best
}
