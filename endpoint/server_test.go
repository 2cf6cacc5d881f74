//go:build unix

package endpoint

import (
	"os"
	"testing"

	"github.com/brewput/brewput/trial"
)

// TestMain lets the test binary be a keeper, the child of a trial, and the servers of the tests.
func TestMain(m *testing.M) {
	trial.Main(keptWorkload(), Workload())
	if len(os.Args) > 3 && os.Args[1] == counting {
		serveCounting(os.Args[2], os.Args[3])
	}
	if len(os.Args) > 1 && os.Args[1] == posing {
		pose(os.Args[2:])
	}
	os.Exit(m.Run())
}

// TestFreePort checks that ports differ and can be used.
func TestFreePort(t *testing.T) {
	seen := map[int]bool{}
	for range 100 {
		port, err := freePort()
		if err != nil {
			t.Fatal(err)
		}
		if seen[port] {
			t.Errorf("port %d was given twice", port)
		}
		seen[port] = true
		if got, err := canListen(port); got != port || err != nil {
			t.Errorf("port %d: %d, %v", port, got, err)
		}
	}
}
