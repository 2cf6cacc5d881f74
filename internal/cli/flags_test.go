package cli

import (
	"slices"
	"testing"

	"github.com/spf13/pflag"

	"github.com/brewput/brewput/workload"
)

// TestFlagsAreReserved: a factor called like a flag would silently take its place.
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
