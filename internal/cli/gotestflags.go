package cli

import (
	"github.com/spf13/cobra"

	"github.com/brewput/brewput/internal/cli/option"
)

// goTestFlags are the flags that bench and gate take with one dash, as go test does.
var goTestFlags = []string{"bench", "benchmem", "benchtime", "count", "cpu", "run"}

// doubleDashes returns the arguments with flags of go test as flags of two dashes, if they are for bench or gate.
func doubleDashes(root *cobra.Command, args []string) []string {
	cmd, _, err := root.Find(args)
	if err != nil || cmd.Name() != "bench" && cmd.Name() != "gate" {
		return args
	}
	return option.DoubleDashes(cmd.Flags(), goTestFlags, args)
}
