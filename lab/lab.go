// Package lab runs Brewput's verbs from Go, such as [Measure] and [Explain].
//
// A program that measures calls [Main] first. Zero options are the command's defaults, unless they say otherwise. A
// cancelled verb keeps what it measured.
package lab

import (
	"slices"
	"time"

	"github.com/brewput/brewput/internal/aa"
	"github.com/brewput/brewput/internal/costs"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// Main runs a trial and exits if this process was started as one; otherwise it returns. Call it first in main, or in
// TestMain of a test binary, with all workloads that the program measures or explains.
func Main(workloads ...*workload.Workload) {
	trial.Main(append(slices.Clone(workloads), aa.Yardstick(), costs.Programs())...) // for Examine and Calibrate
}

// Event is a step of a verb: one of the event types of this package. A verb calls its Notify option for each event,
// from one goroutine at a time, and waits for it to return.
type Event interface{ event() }

// Note announces a step of the preparation, such as the build of a test binary.
type Note struct{ Text string }

func (Note) event() {}

// Warning is a reason to distrust a run that is not an error.
type Warning struct{ Text string }

func (Warning) event() {}

// Started announces the measurement after the preparation.
type Started struct {
	Dir      string // run directory
	Header   sweep.Header
	Estimate sweep.Estimate
	// Complete says that the run was complete before, and nothing is measured. A complete run of benchmarks sends no
	// Started.
	Complete bool
}

func (Started) event() {}

// Progress is the state before a trial, or after a block if Trials is set.
type Progress sweep.Event

func (Progress) event() {}

// PredictionEstimate estimates the time left for the predictions, if they take long.
type PredictionEstimate struct{ Left time.Duration }

func (PredictionEstimate) event() {}

// Predicted reports the predictions of a finished block.
type Predicted struct{ Trials []result.Trial }

func (Predicted) event() {}

// notifier sends events to a caller's Notify option; nil ignores them.
type notifier func(Event)

func (n notifier) send(e Event) {
	if n != nil {
		n(e)
	}
}
