package cli

import (
	"fmt"

	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/result"
)

// warnLostFailures warns of files with the output of failed trials that are no longer in a run directory.
func (a *app) warnLostFailures(dir string, trials []result.Trial) {
	if text := store.Lost(dir, trials); text != "" {
		fmt.Fprintln(a.stderr, "warning:", text)
	}
}
