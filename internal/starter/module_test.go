package starter

import "testing"

// TestModulePaths checks that new takes no path that Go refuses.
func TestModulePaths(t *testing.T) {
	for _, path := range []string{"mybench", "example.com/x", "github.com/A/b-c_d.e~f", "a/v2", "a..b", "conx", "a~b",
		"example.com/~me/y_1.v2", "a/-m"} {
		if !goodModule(path) {
			t.Errorf("%s is refused", path)
		}
	}
	for _, path := range []string{"", "-m", "~a", "~me/x", "con", "a/COM1", "a/nul.x/b", "a~1", "a~1/b", "a/b~12.x",
		"std", "cmd", "all", "a/", "/a", "a//b", "a.", ".a", "a b", "caf\u00e9"} {
		if goodModule(path) {
			t.Errorf("%s is taken", path)
		}
	}
}
