// Package brewput adds the brewput command to a program with workloads of its own.
//
// The program gets every verb of brewput (run, sim, explain and others) for the workload mine:
//
//	func main() { brewput.Main(mine) }
//
// Programs that need results as Go values use package lab instead.
package brewput

import (
	"context"
	"os"

	"github.com/brewput/brewput/internal/cli"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// Main runs the command with the process's arguments and exits with its exit code. It does not return.
//
// Trials run in child processes of the same program. In such a child, Main runs the trial instead, so call it before
// the program does anything else.
func Main(workloads ...*workload.Workload) {
	// Interrupts are handled first, so that none ends the process before it can clean up.
	ctx, release := cli.Interruptible(context.Background())
	if os.Getenv(trial.Sentinel) != "" {
		release() // in a child, the parent decides what ends the trial
	}

	lab.Main(workloads...)
	os.Exit(cli.Run(ctx, workloads, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
