package catalog

import (
	"testing"

	"github.com/brewput/brewput/workload/source"
)

// TestSources checks that the source of every design is found, so that its lines can be counted.
func TestSources(t *testing.T) {
	for _, w := range All() {
		for _, d := range w.Designs {
			if d.Absent() {
				continue // another program has the source
			}
			if s, err := source.Read(w, d); err != nil || s.Lines == 0 {
				t.Errorf("%s/%s: %d lines, %v", w.Name, d.Name, s.Lines, err)
			}
		}
	}
}
