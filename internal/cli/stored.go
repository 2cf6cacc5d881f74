package cli

import (
	"fmt"

	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/result"
)

// lostFailures says which files with what failed trials printed are no longer in a run directory.
func (a *app) warnLostFailures(dir string, trials []result.Trial) {
	if text := store.Lost(dir, trials); text != "" {
		fmt.Fprintln(a.stderr, "warning:", text)
	}
}
