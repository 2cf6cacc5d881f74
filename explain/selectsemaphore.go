package explain

import (
	"math"
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence"
)

// weighted is a semaphore whose users wait in a select, and of which a release closes the channel of the next one.
const weighted = "golang.org/x/sync/semaphore.(*Weighted)"

// releases maps a blocking operation to the calls that release a slot and wake a waiter.
var releases = map[evidence.Op]struct {
	by      []string
	through string
}{
	evidence.OpSelect: {[]string{"runtime.chansend", weighted}, "the channel"},
	// Broadcast gives no slot to a particular waiter.
	evidence.OpCond: {[]string{"sync.(*Cond).Signal"}, "the condition"},
}

// selectSemaphore finds a semaphore whose users wait in a select, for which the trace shows no channel, or on a
// condition variable. Nearly all waiters are woken by goroutines of their own class, and the holders wait for something
// outside.
func (a *analysis) selectSemaphore() (Finding, bool) {
	for i := range a.trace.Waits {
		w := &a.trace.Waits[i]
		queue := a.fraction(w.Waited)
		release, ok := releases[w.Op]
		if !ok || w.Count < 10 || queue < 1 || a.demandShare(0) < 0.3 || len(w.Wakers) == 0 {
			continue
		}
		if containsAny(w.Stack, httpConnection) && a.reusesConnections(w) {
			return a.connectionLimit(w, queue), true
		}
		if slots := []*evidence.Wait{w}; !a.wokenByOwnClass(slots) || a.queueForLock(slots) {
			continue
		}
		where := a.prog.positions(w.Stack, w.Wakers[0].Stack)
		most := 1 - a.lowerBound(1/(queue+1))
		if len(where) == 0 || most < 2*minGain || !containsAny(w.Wakers[0].Stack, release.by...) {
			continue
		}

		f := a.newFinding(SaturatedResource, "All slots are always in use: goroutines wait by %s.", release.through)
		f.Where = where
		f.Share = math.Min(1, queue)
		a.describeSemaphore(&f, w, queue, w.Count, most)
		switch {
		case containsAny(w.Stack, weighted):
			f.Claim = "Goroutines wait for the semaphore nearly all the time."
			f.Alternative = "One request needs many slots at once."
		case containsAny(w.Stack, databaseConnection):
			f.Claim = "All connections to the database are in use: goroutines wait for one."
			f.Fix = "Hold connections for less time (close Rows), or raise SetMaxOpenConns."
			f.Alternative = "The database serves no more at a time, as SQLite's one writer."
		}
		return f, true
	}

	return Finding{}, false
}

// Functions that wait for a connection: of a client of package net/http, and of a database.
const (
	httpConnection     = "net/http.(*Transport).getConn"
	databaseConnection = "database/sql.(*DB).conn"
)

// reusesConnections reports whether nearly all goroutines that waited for a connection got one from another request. If
// connections are dialed meanwhile, their number is not limited; an HTTP/2 connection serves all requests.
func (a *analysis) reusesConnections(w *evidence.Wait) bool {
	var all, on, dials int64
	for _, k := range w.Wakers {
		all += k.Count
		if containsAny(k.Stack, "net/http.(*Transport).tryPutIdleConn") &&
			!containsAny(k.Stack, "net/http.(*Transport).dialConnFor") {
			on += k.Count
		}
	}

	for i := range a.trace.Classes {
		if c := &a.trace.Classes[i]; strings.HasPrefix(c.Start.Function,
			"net/http.(*Transport).startDialConnForLocked") {
			dials += c.Count
		}
	}

	return on*10 >= all*9 && dials*10 <= w.Count
}

// connectionLimit returns the finding for a net/http client whose connections are all in use.
func (a *analysis) connectionLimit(w *evidence.Wait, queue float64) Finding {
	f := a.newFinding(SaturatedResource, "All HTTP connections to a host are in use: requests wait for one.")
	f.Where = a.prog.positions(w.Stack)
	f.Share = math.Min(1, queue)
	a.describeSemaphore(&f, w, queue, w.Count, 1-a.lowerBound(1/(queue+1)))
	f.Fix = "Raise MaxConnsPerHost and MaxIdleConnsPerHost of the http.Transport."
	return f
}

// wokenByOwnClass reports whether waiters are woken by goroutines of their own class.
func (a *analysis) wokenByOwnClass(waits []*evidence.Wait) bool {
	var own, all int64
	for _, w := range waits {
		for _, k := range w.Wakers {
			all += k.Count
			if slices.Contains(w.Classes, k.Class) {
				own += k.Count
			}
		}
	}
	return all > 0 && own*10 >= all*9
}
