package gobench

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// FuzzExceptions reads any text as an allow-list without a panic. What it accepts has a name, a metric, a day and a
// reason.
func FuzzExceptions(f *testing.F) {
	f.Add("Encode/* ns/op 2026-12-31 checks more # why\n")
	f.Add("# nothing\n\nx")
	f.Add("[ ns/op 2026-12-31 broken pattern")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parseExceptions(strings.NewReader(text), "list")
		if err != nil && list != nil {
			t.Fatalf("both %v and %v", list, err)
		}
		for _, e := range list {
			if _, err := time.Parse(time.DateOnly, e.Until); err != nil || e.Metric == "" || e.Reason == "" ||
				e.Line < 1 {
				t.Fatalf("%+v", e)
			}
			e.names("Encode/x")
		}
	})
}

// TestStale checks that lines that have expired are stale, and lines that match no benchmark if all benchmarks of the
// packages are measured. A benchmark that fails, or whose package does not compile, still has its lines.
func TestStale(t *testing.T) {
	list := []Exception{
		{1, "A*", "ns/op", "2026-01-01", "expired"}, {2, "A*", "ns/op", "2026-01-02", "serves today"},
		{3, "B", "ns/op", "2999-01-01", "names none"}, {4, "Sour/x", "ns/op", "2999-01-01", "is below one that fails"},
		{5, "ugly.Fine", "ns/op", "2999-01-01", "is of a package that does not compile"},
	}
	x := &Experiment{Pattern: EveryBenchmark, Benchmarks: []Benchmark{{Name: "A/b"}, {Name: "Ab"}},
		Broken: []result.Broken{{Rev: Head, Name: "Sour"}, {Rev: Head, Name: "ugly" + everyOf}}}
	want := []compare.StaleException{{Line: 1, Name: "A*", Metric: "ns/op", Until: "2026-01-01", Expired: true},
		{Line: 3, Name: "B", Metric: "ns/op", Until: "2999-01-01"}}
	if got := Stale(list, x, "2026-01-02"); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	x.Pattern = "A"
	if got := Stale(list, x, "2026-01-02"); !slices.Equal(got, want[:1]) {
		t.Errorf("of some benchmarks: %+v", got)
	}
}

// TestExceptions checks that comments are skipped wherever they begin, and that errors name the file and the line.
func TestExceptions(t *testing.T) {
	const lines = "# a\n\t# b\nBenchmarkA#01 ns/op 2026-12-31 more\twork\t# c\n"
	list, err := parseExceptions(strings.NewReader(lines), "list")
	if want := (Exception{3, "A#01", "ns/op", "2026-12-31", "more work"}); err != nil || len(list) != 1 ||
		list[0] != want {
		t.Errorf("%+v, %v", list, err)
	}
	for text, want := range map[string]string{
		"\nEncode ns/op 2026-12-31 # why": "list:2: a line has a benchmark, a metric, the last day and a reason",
		"Encode ns/op soon why":           `list:1: "soon" is not a date`,
		"[ ns/op 2026-12-31 why":          `list:1: the pattern "["`,
	} {
		if list, err := parseExceptions(strings.NewReader(text), "list"); err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, %v", text, list, err)
		}
	}
}
