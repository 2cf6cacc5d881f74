package workload_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/brewput/brewput/workload"
)

// TestOnRequest checks that a design that is measured only on request is left out unless it is named.
func TestOnRequest(t *testing.T) {
	w := &workload.Workload{Name: "w", Designs: []workload.Design{{Name: "a", Job: job},
		{Name: "hangs", Job: job, OnRequest: true}, {Name: "b", Job: job}}}
	for _, c := range []struct{ names, want []string }{
		{nil, []string{"a", "b"}},
		{[]string{"hangs"}, []string{"hangs"}},
		{[]string{"b", "hangs", "b"}, []string{"b", "hangs"}},
	} {
		if got, err := w.Select(c.names); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("Select(%q) = %q, %v, want %q", c.names, got, err, c.want)
		}
	}
	if err := w.Validate(); err != nil {
		t.Error(err)
	}
	w.Designs = w.Designs[1:2]
	if err := w.Validate(); err == nil || !strings.Contains(err.Error(), "OnRequest") {
		t.Errorf("a workload without a usual design: %v", err)
	}
}
