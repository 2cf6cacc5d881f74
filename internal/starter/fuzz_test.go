package starter

import (
	"strings"
	"testing"
)

// FuzzNew checks that new writes no module with lines from its arguments.
func FuzzNew(f *testing.F) {
	f.Add("example.com/x", "/a b")
	f.Add("m\nreplace x => y", "/a\n)")
	f.Fuzz(func(t *testing.T, module, path string) {
		if modulePattern.MatchString(module) && strings.ContainsAny(module, " \t\r\n\"`()=>\\") {
			t.Fatalf("the module %q", module)
		}
		if s := modString(path); strings.ContainsAny(s, "\r\n\x00\x1b") {
			t.Fatalf("the path %q is written as %s", path, s)
		}
	})
}
