// Package brewput is the whole brewput command for a program of one's own:
//
//	func main() { brewput.Main(mine) }
//
// gives the program the verbs of brewput for the workload mine.
package brewput

import (
	"context"
	"os"
	"slices"

	"github.com/brewput/brewput/internal/aa"
	"github.com/brewput/brewput/internal/cli"
	"github.com/brewput/brewput/internal/costs"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// Main runs the command on the process's arguments and exits. Where the process was started as the
// child of a trial, it runs that trial instead; so call it before anything else.
func Main(workloads ...*workload.Workload) {
	ctx, release := cli.Interruptible(context.Background()) // first, so that no interrupt ends the process unheard
	if os.Getenv(trial.Sentinel) != "" {
		release() // the parent decides what ends a trial
	}
	// the trials of doctor and calibrate
	trial.Main(append(slices.Clone(workloads), aa.Yardstick(), costs.Programs())...)
	os.Exit(cli.Run(ctx, workloads, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
