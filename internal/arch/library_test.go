package arch

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLibrary checks that a program of another module that uses lab contains neither a command line nor a server. The
// program has the dependencies of this module: after a change of go.mod, run go mod tidy in its folder.
func TestLibrary(t *testing.T) {
	dir := filepath.Join("..", "..", "examples", "library")
	goCommand := func(args ...string) string {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	goCommand("build", "-buildvcs=false", "-o", filepath.Join(t.TempDir(), "library"), ".")
	deps := strings.Fields(goCommand("list", "-deps", "."))
	for _, unwanted := range []string{"github.com/spf13/cobra", "net/http/pprof", module + "/internal/pprofui",
		module + "/internal/cli"} {
		if slices.Contains(deps, unwanted) {
			t.Errorf("a program with lab contains %s", unwanted)
		}
	}
	if !slices.Contains(deps, module+"/lab") {
		t.Errorf("it contains %q alone", deps)
	}
}
