// Package journal compares append-only logs (B. Bengfort's journal of Go experiments, "synchronized writes"). Many
// callers append entries. Each entry gets an index, and can be read by it.
//
// What an acknowledged entry survives decides what an append costs. So each design declares its [Durability]: a log
// that only writes costs a system call, one that syncs each entry costs a write to the device, and one that shares a
// sync among callers costs a fraction of that.
//
// With w the time of a write and t the time of a sync, a log that serializes its appends reaches at most 1/w entries a
// second, and at most 1/t if it syncs each. Group commit reaches 1/t with one caller. With n callers it reaches between
// n/(2t) and n/t: an entry that arrives during a sync waits for its end, and then for its own. Each trial measures w
// and t in the directory of its log, as the metrics write_seconds and sync_seconds.
//
// The designs use files, so they run live only.
package journal

import (
	"fmt"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Log is an append-only log. All methods except Close are safe for concurrent use.
type Log interface {
	// Append adds an entry of at most [MaxEntry] bytes, which may be none, and returns its index. The first index of an
	// empty log is 1, and there are no gaps. The entry is acknowledged when Append returns: from then on it survives
	// what the design declares. Append copies data. If an error may have left the log in a state that it cannot know,
	// as after a failed write or sync, all further appends return that error.
	Append(data []byte) (index uint64, err error)

	// Get returns a copy of an entry, and an error that matches [ErrNotFound] if there is none with that index. It
	// finds each acknowledged entry.
	Get(index uint64) ([]byte, error)

	// Flush returns when each entry that was acknowledged before the call survives power loss, except in a log that is
	// only in memory.
	Flush() error

	// Close writes what is queued and closes the log. No other call may be running or follow.
	Close() error
}

// SyncCounter is implemented by a Log that counts its syncs. Other logs have no metrics of them.
type SyncCounter interface {
	Syncs() uint64 // since it was opened
}

// MaxEntry is the largest size of an entry in bytes.
const MaxEntry = 1 << 20

// ErrNotFound is the error of Get for an index that no entry has.
const ErrNotFound = constError("the log has no such entry")

// constError is an error that is a constant, because two trials would share a variable.
type constError string

func (e constError) Error() string { return string(e) }

// Durability is what an acknowledged entry survives.
type Durability int

// The declarations.
const (
	None              Durability = iota // nothing: a crash of the process may lose acknowledged entries
	SurvivesKill                        // a crash of the process, but not of the machine
	SurvivesPowerLoss                   // a crash of the machine too
)

// String returns the declaration in words.
func (d Durability) String() string {
	switch d {
	case None:
		return "may lose entries"
	case SurvivesKill:
		return "survives kill"
	case SurvivesPowerLoss:
		return "survives power loss"
	}
	return fmt.Sprintf("Durability(%d)", int(d))
}

// Open opens the log in a directory, which exists and belongs to the log alone. If it contains a log of the same
// design, the log continues after its last entry. Locks and goroutines may come from e, which is valid until the log is
// closed; the goroutines must end before Close returns.
type Open func(e env.Env, dir string, p plan.Point) (Log, error)

// Design returns a design of the workload. Its doc is one line, to which the durability is added. uses names factors
// that open reads, in addition to those of all designs.
func Design(name, doc string, d Durability, open Open, uses ...string) workload.Design {
	return design(name, doc, d, func(e env.Env, p plan.Point) (workload.Job, error) {
		return newJob(e, p, d, open)
	}, uses...)
}

// design returns a design with its own constructor.
func design(name, doc string, d Durability, job func(env.Env, plan.Point) (workload.Job, error),
	uses ...string) workload.Design {
	return workload.Design{
		Name: name, Doc: d.String() + ": " + doc, Job: job, Worlds: workload.LiveOnly, Guarantee: d.String(),
		Uses: append([]string{"callers", "appends", "entry", "gets", "dir"}, uses...),
	}
}

// Workload returns the workload journal.
func Workload() *workload.Workload {
	return &workload.Workload{
		Name: "journal",
		Doc:  "Append entries to a log: what durability costs.",
		Factors: []plan.Factor{
			{Name: "callers", Doc: "goroutines that append in a closed loop", Kind: plan.Int, Default: "16", Min: 1,
				Max: 100_000, Input: true},
			{Name: "appends", Doc: "entries of all callers together", Kind: plan.Int, Default: "10000", Min: 1,
				Max: 100_000_000, Input: true},
			{Name: "entry", Doc: "size of an entry in bytes", Kind: plan.Int, Default: "100", Max: MaxEntry,
				Input: true},
			{Name: "gets", Doc: "entries that a caller reads after each append", Kind: plan.Int, Default: "0",
				Max: 1000, Input: true},
			{Name: "dir", Doc: "where the log is written (default: for temporary files)", Kind: plan.Text,
				Path: true, Input: true},
			{Name: "queue", Doc: "entries that the channel of async holds", Kind: plan.Int, Default: "1024", Min: 1,
				Max: 1_000_000},
		},
		Check: check,
		Quick: map[string]string{"appends": "2000"},
		Designs: []workload.Design{
			design("memory", "a slice under a lock", None, newMemory),
			with(encodeAndWrite(), design("file", "a line of JSON, written under a lock, and a slice", SurvivesKill,
				newFileLog)),
			with(eachSync(), design("file-sync", "file, with a sync of each line", SurvivesPowerLoss, newFileSync)),
			design("async", "a channel in front of binary; Flush is durable", None, newAsync, "queue"),
			with(eachWrite(), design("binary", "a frame with a checksum, written under a lock", SurvivesKill,
				newBinary)),
			with(sharedSync(), design("group", "callers share a write and a sync (group commit)", SurvivesPowerLoss,
				newGroup)),
			design("mapped", "a frame in a memory-mapped file", SurvivesKill, newMapped),
			{Name: "encode", Doc: "encodes the entries of file, one goroutine, and writes nothing",
				Uses: []string{"appends", "entry"}, Job: newEncode, Worlds: workload.LiveOnly, Expect: workload.Bound},
		},
	}
}

// with returns the design with a formula.
func with(f *workload.Formula, d workload.Design) workload.Design {
	d.Formula = f
	return d
}
