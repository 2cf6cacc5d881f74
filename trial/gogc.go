package trial

import (
	"os"
	"runtime/debug"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// GOGC without a setting, and in a client that sends an open loop to servers: while the collector marks the heap of a
// client with many requests, the client sends late.
const (
	usualGC  = 100
	clientGC = 400
)

// setGC sets GOGC for a trial at a point, and returns how to set it back. The factor gogc decides, then the
// environment, and then the program, if it has set another one than usualGC. Otherwise a trial that sends an open loop
// to servers has clientGC.
func setGC(p plan.Point, sends bool) (undo func()) {
	percent := clientGC
	switch {
	case p.Has(workload.GOGC):
		percent = p.Int(workload.GOGC)
	case !sends || os.Getenv("GOGC") != "":
		return func() {}
	}
	former := debug.SetGCPercent(percent)
	if former != usualGC && !p.Has(workload.GOGC) {
		debug.SetGCPercent(former)
	}
	return func() { debug.SetGCPercent(former) }
}
