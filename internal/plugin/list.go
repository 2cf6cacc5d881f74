package plugin

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/brewput/brewput/internal/buildinfo"
	"github.com/brewput/brewput/workload"
)

// Listing is what a list of workloads shows.
type Listing struct {
	Workloads []*workload.Workload // with the designs of the program
	Missing   [][2]string          // designs that the program would add, as WORKLOAD/DESIGN, and what each is
	Problem   error                // why the program cannot be used, unless it is not installed; nil if it can
}

// List adds the designs of the program to workloads. They are not changed.
func List(all []*workload.Workload) Listing {
	var l Listing
	for _, w := range all {
		if w.More == nil {
			l.Workloads = append(l.Workloads, w)
			continue
		}
		_, err := w.More()
		switch {
		case errors.Is(err, ErrAbsent):
			l.Missing = append(l.Missing, missing(w.Name)...)
		case err != nil && !errors.Is(err, context.Canceled): // the user knows of an interrupt
			l.Problem = err
		}
		with := *w
		with.Designs, with.More = w.AllDesigns(), nil
		l.Workloads = append(l.Workloads, &with)
	}
	return l
}

// missing returns the designs that the program has of a workload.
func missing(name string) [][2]string {
	var list [][2]string
	for _, d := range Known() {
		if d.Workload == name {
			list = append(list, [2]string{d.Workload + "/" + d.Design, d.Doc})
		}
	}
	return list
}

// KnownDesign is a design of the program, without its declaration.
type KnownDesign struct{ Workload, Design, Doc string }

// Known returns the designs of the program, for lists if it is not installed.
func Known() []KnownDesign {
	return []KnownDesign{
		{"identity", "protoactor", "an actor of protoactor-go, called by RequestFuture"},
		{"identity", "grpc-simple", "unary calls of gRPC; the server has one lock around the whole call"},
		{"identity", "grpc-sequence", "unary calls of gRPC; the server has one lock around the counter only"},
		{"identity", "grpc-actor", "unary calls of gRPC; a goroutine of the server has the counter, and a mailbox"},
		{"identity", "grpc-locker", "unary calls of gRPC; the server has the interface of the actor, over a lock"},
		{"identity", "grpc-stream", "a stream of gRPC for each caller; the server has a lock around the counter"},
		{"identity", "grpc-batches", "a stream of gRPC for all callers, each message with all calls that wait"},
		{"peers", "grpc-leased", "as leased, by processes over gRPC, which are killed; all faults happen"},
		{"peers", "grpc-interleaved", "as interleaved, by processes over gRPC, which are killed; all faults happen"},
		{"set", "golang-set", "deckarep/golang-set: a map with one lock; an adapter makes Remove slower"},
		{"set", "xsync", "puzpuzpuz/xsync: a hash table whose readers take no lock"},
		{"journal", "goleveldb", "survives power loss: syndtr/goleveldb, a batch of the callers that wait"},
		{"journal", "pebble", "survives power loss: cockroachdb/pebble, whose log shares syncs among callers"},
		{"journal", "bbolt", "survives power loss: etcd's bbolt, a transaction of the callers that wait"},
		{"journal", "tidwall-wal", "survives power loss: tidwall/wal, a batch of the callers that wait"},
		{"messenger", "grpc-sync", "a stream of gRPC; waits for each acknowledgement"},
		{"messenger", "grpc-async", "another goroutine listens; the server works on all messages at once; without " +
			"work it is grpc-in-order"},
		{"messenger", "grpc-in-order", "as grpc-async, and the server works on one message after the other; equal " +
			"without work"},
		{"messenger", "grpc-window", "as grpc-in-order, with a limited number of messages in flight"},
		{"messenger", "grpc-batches", "as grpc-in-order, and all messages that are queued go in one message of gRPC"},
		{"messenger", "grpc-unary", "a unary call of gRPC for each message"},
		{"messenger", "connect", "a unary call of connect-go over HTTP/2 for each message"},
		{"messenger", "drpc", "a unary call of drpc for each message"},
		{"messenger", "tcp", "a bound: waits for each acknowledgement on a connection without a library"},
	}
}

// Status says in a few words which program is found; "" if there is none, or the workloads use none. It does not start
// the program.
func Status(all []*workload.Workload) string {
	if !slices.ContainsFunc(all, func(w *workload.Workload) bool { return w.More != nil }) {
		return ""
	}
	path, err := Find()
	switch {
	case errors.Is(err, ErrAbsent):
		return ""
	case err != nil:
		return Name + " cannot be used: " + err.Error()
	}
	return Name + " is " + path
}

// Examine starts the program, unless no workload uses it (ok is false). It returns the program's version, "" if it is
// not installed, and why it cannot be used.
func Examine(all []*workload.Workload) (version string, problem error, ok bool) {
	i := slices.IndexFunc(all, func(w *workload.Workload) bool { return w.More != nil })
	if i < 0 {
		return "", nil, false
	}
	_, err := all[i].More()
	switch {
	case errors.Is(err, ErrAbsent):
		return "", nil, true
	case err != nil:
		return "", err, !errors.Is(err, context.Canceled)
	}
	return Version(), nil, true
}

// VersionText is the version of this program and, on a second line, the Status of the other one.
func VersionText(all []*workload.Workload) string {
	return strings.TrimSpace(buildinfo.Here().String() + "\n" + Status(all))
}
