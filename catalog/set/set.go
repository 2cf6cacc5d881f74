// Package set compares thread-safe sets of integers, and one that is not: what does safety cost, and which structure is
// the fastest for which load?
//
// Goroutines share a trace of operations: Contains, Add and Remove. The read ratio, the skew of the keys, their number
// and the number of goroutines decide which design wins. One lock is enough for one goroutine. With more, the lock, or
// the cache line that holds it, limits all of them.
//
// Each operation reports what it found or changed. The check of every trial computes the contents of the set from these
// reports, and compares them with the set. Each call of Contains whose key no operation adds or removes must be right.
package set

import (
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Workload returns the workload set.
func Workload() *workload.Workload {
	uses := func(own ...string) []string { return append(Uses(), own...) }
	return &workload.Workload{
		Name: "set",
		Doc:  "Use a set from many goroutines: what safety costs, and which structure wins where.",
		Factors: []plan.Factor{
			{Name: "goroutines", Doc: "goroutines that share the calls", Kind: plan.Int, Default: "16", Min: 1,
				Max: 100_000, Input: true},
			{Name: "calls", Doc: "calls of all goroutines together", Kind: plan.Int, Default: "400000", Min: 1,
				Max: 1_000_000_000, Input: true},
			{Name: "read", Doc: "fraction of calls that only read; the others add or remove a key", Kind: plan.Float,
				Default: "0.9", Max: 1, Input: true},
			{Name: "skew", Doc: "how calls choose keys: uniform, or by Zipf's law with exponent 1", Kind: plan.Text,
				Default: "uniform", Words: []string{"uniform", "zipf"}, Input: true},
			{Name: "keys", Doc: "number of different keys; about half of them are in the set", Kind: plan.Int,
				Default: "1000", Min: 1, Max: maxKeys, Input: true},
			{Name: "access", Doc: "virtual time: CPU time of a call inside the set", Kind: plan.Duration,
				Default: "20ns", Min: 1e-9, Max: 1, Input: true},
			{Name: "shards", Doc: "parts of the design sharded", Kind: plan.Int, Default: "64", Min: 1, Max: 1_000_000},
			{Name: "between", Doc: "calls of a goroutine from one union to the next", Kind: plan.Int,
				Default: "200", Min: 1, Max: 1_000_000_000, Input: true},
		},
		Quick: map[string]string{"calls": "100000"},
		Designs: []workload.Design{
			{Name: "unsafe", Doc: "a map without a lock, right for one goroutine only", Uses: uses(), Job: newUnsafe,
				Expect: workload.MayBreak, OnRequest: true},
			{Name: "mutex", Doc: "a map with one lock", Uses: uses(), Job: newMutex},
			{Name: "rwmutex", Doc: "a map with one lock that readers share", Uses: uses(), Job: newRWMutex},
			{Name: "sharded", Doc: "many maps, each with a lock", Uses: uses("shards"), Job: newSharded},
			{Name: "sync-map", Doc: "sync.Map of the standard library", Uses: uses(), Job: newSyncMap,
				Worlds: workload.LiveOnly},
			{Name: "cow", Doc: "copy on write: a pointer to a map that never changes", Uses: uses(),
				Job: newCopyOnWrite},
			{Name: "owner", Doc: "a goroutine that owns the map and receives each call", Uses: uses(), Job: newOwner},
			{Name: "table", Doc: "a hash table of atomic words, without locks except to grow", Uses: uses(),
				Job: newTable},
			{Name: "union", Doc: "two sets whose unions lock their own set first: deadlocks", Uses: uses("between"),
				Job: newUnion, Expect: workload.MayFail, OnRequest: true},
			{Name: "ordered", Doc: "two sets whose unions lock in the same order", Uses: uses("between"),
				Job: newOrdered, OnRequest: true},
		},
	}
}
