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
		".": {"extra/grpc", "extra/identity", "extra/journal", "extra/messenger", "extra/peers", "extra/remote",
			"extra/set", "workload"},
		"./cmd/brewput-extra":     {"catalog", "extra", "extra/remote", "internal/plugin"},
		"./grpc":                  {"endpoint", "env", "internal/input", "internal/quote", "plan", "workload"},
		"./identity":              {"catalog/identity", "env", "env/live", "extra/remote", "plan", "workload"},
		"./examples/healthserver": {},
		"./journal":               {"catalog/journal", "env", "plan", "workload"},
		"./messenger": {"catalog/messenger", "env", "env/live", "extra/remote", "internal/calibrate", "internal/hist",
			"internal/tempdir", "plan", "workload"},
		"./peers": {"catalog/journal", "catalog/peers", "env", "extra/remote", "internal/tempdir", "plan", "workload"},
		"./proof/faults": {"extra/messenger", "extra/peers", "extra/remote", "internal/interrupt", "plan",
			"proof/record", "result", "trial", "workload"},
		"./remote": {"internal/alarm", "internal/input", "internal/proc", "internal/tempdir"},
		"./set":    {"catalog/set", "env", "plan", "workload"},
	}
	extraUses = map[string][]string{
		"./examples/healthserver": {"google.golang.org/grpc"},
		"./grpc":                  {"google.golang.org/grpc", "google.golang.org/protobuf"},
		"./identity":              {"github.com/asynkron/protoactor-go", "google.golang.org/grpc"},
		"./journal": {"github.com/cockroachdb/pebble/v2", "github.com/syndtr/goleveldb", "github.com/tidwall/wal",
			"go.etcd.io/bbolt"},
		"./messenger": {"connectrpc.com/connect", "google.golang.org/grpc", "storj.io/drpc"},
		"./peers":     {"google.golang.org/grpc"},
		"./remote":    {"google.golang.org/grpc"},
		"./set":       {"github.com/deckarep/golang-set/v2", "github.com/puzpuzpuz/xsync/v4"},
	}
)

// inModule reports whether a package belongs to a module.
func inModule(pkg, module string) bool { return pkg == module || strings.HasPrefix(pkg, module+"/") }

// TestExtra checks what the module extra imports, and that the command does not.
func TestExtra(t *testing.T) {
	imports := func(dir string, args ...string) []string {
		cmd := exec.Command("go", append([]string{"list", "-f", `{{join .Imports "\n"}}`}, args...)...)
		cmd.Dir = dir
		var stderr strings.Builder // also the progress of downloads
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, stderr.String())
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
