package lab

import (
	"strings"
	"testing"
	"time"
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
			if _, err := time.Parse(time.DateOnly, e.until); err != nil || e.metric == "" || e.reason == "" ||
				e.line < 1 {
				t.Fatalf("%+v", e)
			}
			e.names("Encode/x")
		}
	})
}
