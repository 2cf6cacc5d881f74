package sweep

import (
	"strings"
	"testing"

	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/result"
)

// TestSameHere: virtual time goes on on any machine, and live runs on their own; both go on with their own build.
func TestSameHere(t *testing.T) {
	here := host.Read()
	elsewhere, rebuilt := here, here
	elsewhere.Fingerprint, elsewhere.CPUs = "another", here.CPUs+1
	rebuilt.GoVersion = "go1.1"
	for _, c := range []struct {
		world string
		of    result.Environment
		text  string
	}{
		{result.Live, here, ""},
		{result.Live, elsewhere, "on this machine"},
		{result.Virtual, elsewhere, ""},
		{result.Virtual, rebuilt, "by this program"},
	} {
		err := (&Header{World: c.world, Environment: c.of}).SameHere("dir")
		if (err == nil) != (c.text == "") || err != nil && !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want %q", c.world, err, c.text)
		}
	}
}
