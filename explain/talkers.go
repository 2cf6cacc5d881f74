package explain

import (
	"slices"

	"github.com/brewput/brewput/evidence"
)

// talkers returns the only two classes of one goroutine that wait for a connection often, the client and the server of
// a program that is both, and the number of their waits. Without them, one or both are -1.
func (a *analysis) talkers() (client int, asked int64, server int, answered int64) {
	waits := map[int]int64{}
	accepting := map[int]bool{}
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
	client, server = -1, -1
	for k, n := range waits {
		c := &a.trace.Classes[k]
		isServer := accepting[k] || a.handlesConnections(c) || a.readsForAccepted(c)
		switch {
		case float64(n) < turnsRate*a.trace.Duration.Seconds():
		case c.Peak != 1 || isServer && server >= 0 || !isServer && client >= 0:
			return -1, 0, -1, 0 // the others may work while one waits
		case isServer:
			server, answered = k, n
		default:
			client, asked = k, n
		}
	}
	return client, asked, server, answered
}

// readsForAccepted reports whether a class was started by a goroutine that a function of a library starts which accepts
// connections.
func (a *analysis) readsForAccepted(c *evidence.Class) bool {
	accepts := map[string]bool{}
	for _, w := range a.trace.Waits {
		if acceptsConnections(w.Stack) {
			for _, f := range w.Stack {
				if a.prog.isOwn(f) {
					break // what calls the program accepts nothing
				}
				accepts[f.Function] = accepts[f.Function] || a.isForeign(f)
			}
		}
	}
	startedThere := func(stack []evidence.Frame) bool {
		return slices.ContainsFunc(stack, func(f evidence.Frame) bool { return accepts[f.Function] })
	}
	return startedThere(c.Created) || len(c.Created) > 0 && slices.ContainsFunc(a.trace.Classes,
		func(o evidence.Class) bool {
			return o.Start.Function == c.Created[len(c.Created)-1].Function && startedThere(o.Created)
		})
}

// answering returns the class that sends the replies to the requests that a server reads: itself, or one goroutine that
// it wakes for at least a third of them, and that sends more. The client is none.
func (a *analysis) answering(client, server int, requests int64) *evidence.Class {
	sent, best := a.sendings(), &a.trace.Classes[server]
	for i := range a.trace.Waits {
		w := &a.trace.Waits[i]
		if len(w.Classes) != 1 || w.Classes[0] == client || w.Op != evidence.OpReceive {
			continue
		}
		o := &a.trace.Classes[w.Classes[0]]
		for _, k := range w.Wakers {
			if k.Class == server && k.Count >= requests/3 && o.Peak == 1 && sent[o].count > sent[best].count {
				best = o
			}
		}
	}
	return best
}
