package result

import "testing"

// TestByPackage checks that trials of several packages get the benchmarks' own names, by the longest package.
func TestByPackage(t *testing.T) {
	s := Suite{Packages: map[string]string{"a": "m/a", "a.b": "m/a.b", "a/b": "m/a/b"}}
	trials := []Trial{{Workload: "m/...", Design: "a.X/y=1.5"}, {Workload: "m/...", Design: "a.b.X"},
		{Workload: "m/...", Design: "a/b.X"}}
	want := [][2]string{{"m/a", "X/y=1.5"}, {"m/a.b", "X"}, {"m/a/b", "X"}}
	for i, got := range s.ByPackage(trials) {
		if got.Workload != want[i][0] || got.Design != want[i][1] {
			t.Errorf("%s %s, not %v", got.Workload, got.Design, want[i])
		}
	}
	if trials[0].Design != "a.X/y=1.5" {
		t.Error("the trials changed")
	}
	if got := (&Suite{}).ByPackage(trials); &got[0] != &trials[0] {
		t.Error("one package: the trials are copied")
	}
}
