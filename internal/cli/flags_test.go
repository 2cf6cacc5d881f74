package cli

import (
	"slices"
	"testing"

	"github.com/spf13/pflag"

	"github.com/brewput/brewput/workload"
)

// TestFlagsAreReserved checks that no factor may have the name of a flag, which it would silently replace.
func TestFlagsAreReserved(t *testing.T) {
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	new(runOptions).addTo(flags)
	(&app{}).simCommand().PersistentFlags().VisitAll(func(f *pflag.Flag) {
		if flags.Lookup(f.Name) == nil {
			flags.AddFlag(f)
		}
	})
	n := 0
	flags.VisitAll(func(f *pflag.Flag) {
		n++
		if !slices.Contains(workload.Reserved(), f.Name) {
			t.Errorf("a factor could be called like the flag --%s", f.Name)
		}
	})
	if n < 10 {
		t.Errorf("only %d flags", n)
	}
}
