// Package lab implements verbs of Brewput for Go programs: Measure, Simulate and Resume run designs of a workload, live
// and in virtual time, Bench and Gate run Go benchmarks, Compare compares stored runs, Explain looks for what limits a
// program, and Calibrate measures the costs of this machine's scheduler. Analyze turns trials into rows, verdicts,
// predictions and warnings.
//
// Each verb takes a context and a struct of options, reports progress as typed events, and returns data. It reads no
// flags, writes to no stream and never ends the process. Options that cannot be carried out are refused with a
// [*Refusal] before anything is measured. A cancelled context ends a verb between two trials; everything measured until
// then is stored, and is returned with the context's error.
//
// A program that measures must call [Main] first in main, because each trial runs in a fresh process of the same
// executable.
package lab

import (
	"time"

	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// Main runs this process as a trial of one of the workloads if it was started as one; it then exits and does not
// return. Call it first in main, with all workloads that the program measures or explains, or in TestMain of a test
// binary.
func Main(workloads ...*workload.Workload) { trial.Main(workloads...) }

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

// Notify receives the events of a verb. A nil Notify ignores them.
type Notify func(Event)

func (n Notify) send(e Event) {
	if n != nil {
		n(e)
	}
}
