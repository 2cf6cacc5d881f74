// Package lab runs Brewput's verbs from Go. [Measure], [Simulate] and [Resume] run designs of a workload, [Bench] and
// [Gate] run Go benchmarks, [Compare] compares stored runs, [Explain] finds what limits a program.
//
// A verb reports progress as typed events and returns data. It refuses options with a [*Refusal]. A cancelled context
// ends it between two trials and keeps what was measured. A program that measures calls [Main] first.
package lab

import (
	"slices"
	"time"

	"github.com/brewput/brewput/internal/costs"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// Main runs this process as a trial of one of the workloads if it was started as one; it then exits and does not
// return. Call it first in main, with all workloads that the program measures or explains, or in TestMain of a test
// binary.
func Main(workloads ...*workload.Workload) {
	trial.Main(append(slices.Clone(workloads), costs.Programs())...) // those of Calibrate
}

// Event is something that happened while a verb was working: one of the event types of this package. A verb calls its
// Notify option with each event, from one goroutine at a time, and waits for the call to return.
type Event interface{ event() }

// Note is one step of the preparation, such as the build of a test binary.
type Note struct{ Text string }

func (Note) event() {}

// Warning is something that the user should know about a run, which is no error.
type Warning struct{ Text string }

func (Warning) event() {}

// Started says that the preparation is done and what is going to be measured.
type Started struct {
	Dir      string // run directory
	Header   sweep.Header
	Estimate sweep.Estimate
	// Complete says that a run of designs is shown again. A run of benchmarks that is shown again sends no Started.
	Complete bool
}

func (Started) event() {}

// Progress is the state before a trial, or, with Trials set, after a block.
type Progress sweep.Event

func (Progress) event() {}

// Predicting says that the predictions of a run take long: how much longer, if all go on like those so far.
type Predicting struct{ Left time.Duration }

func (Predicting) event() {}

// Predicted has the predictions of a finished block.
type Predicted struct{ Trials []result.Trial }

func (Predicted) event() {}

// notifier sends events to a caller's Notify option; nil ignores them.
type notifier func(Event)

func (n notifier) send(e Event) {
	if n != nil {
		n(e)
	}
}
