package cli

import (
	"strings"
	"testing"
)

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
