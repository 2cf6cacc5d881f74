package cli

import (
	"strings"
	"testing"
	"time"
)

// FuzzExceptions reads any text as an allow-list without a panic. What it accepts has a name, a metric, a day and a reason.
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
			if _, err := time.Parse(time.DateOnly, e.until); err != nil || e.metric == "" || e.reason == "" || e.line < 1 {
				t.Fatalf("%+v", e)
			}
			e.names("Encode/x")
		}
	})
}

// FuzzNew writes no module with lines of somebody else's.
func FuzzNew(f *testing.F) {
	f.Add("example.com/x", "/a b")
	f.Add("m\nreplace x => y", "/a\n)")
	f.Fuzz(func(t *testing.T, module, path string) {
		if modulePattern.MatchString(module) && strings.ContainsAny(module, " \t\r\n\"`()=>\\") {
			t.Fatalf("the module %q", module)
		}
		if s := modFileString(path); strings.ContainsAny(s, "\r\n\x00\x1b") {
			t.Fatalf("the path %q is written as %s", path, s)
		}
	})
}
