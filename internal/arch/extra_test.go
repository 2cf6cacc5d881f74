package arch

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// extraImports lists the packages of this module that each package of the module extra imports, and extraUses the
// other modules. The module may use any internal package, but needs one only.
var (
	extraImports = map[string][]string{
		".":                   {"extra/identity", "extra/journal", "extra/set", "workload"},
		"./cmd/brewput-extra": {"catalog", "extra", "internal/plugin"},
		"./identity":          {"catalog/identity", "env", "plan", "workload"},
		"./journal":           {"catalog/journal", "env", "plan", "workload"},
		"./set":               {"catalog/set", "env", "plan", "workload"},
	}
	extraUses = map[string][]string{
		"./identity": {"github.com/asynkron/protoactor-go"},
		"./journal": {"github.com/cockroachdb/pebble/v2", "github.com/syndtr/goleveldb", "github.com/tidwall/wal",
			"go.etcd.io/bbolt"},
		"./set": {"github.com/deckarep/golang-set/v2", "github.com/puzpuzpuz/xsync/v4"},
	}
)

// inModule reports whether a package belongs to a module.
func inModule(pkg, module string) bool { return pkg == module || strings.HasPrefix(pkg, module+"/") }

// TestExtra checks what the module extra imports, and that the command does not.
func TestExtra(t *testing.T) {
	imports := func(dir string, args ...string) []string {
		cmd := exec.Command("go", append([]string{"list", "-f", `{{join .Imports "\n"}}`}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return strings.Fields(string(out))
	}
	for pkg, may := range extraImports {
		for _, p := range imports(filepath.Join("..", "..", "extra"), pkg) {
			own, isOwn := strings.CutPrefix(p, module+"/")
			switch {
			case isOwn && slices.Contains(may, own), !strings.Contains(p, "."):
			case !slices.ContainsFunc(extraUses[pkg], func(m string) bool { return inModule(p, m) }):
				t.Errorf("extra: %s may not import %s", pkg, p)
			}
		}
	}
	for _, p := range imports(filepath.Join("..", ".."), "-deps", "./cmd/brewput") {
		for _, modules := range extraUses {
			for _, m := range modules {
				if inModule(p, m) {
					t.Errorf("the command contains %s", p)
				}
			}
		}
	}
}
