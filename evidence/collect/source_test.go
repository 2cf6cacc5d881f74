package collect

import (
	"debug/buildinfo"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"
)

// TestFindBuild checks that a program is built again with the settings of its build information that change its code.
func TestFindBuild(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(
		os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/p\n\ngo 1.24\n"), 0o600),
		os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	info := &buildinfo.BuildInfo{Path: "example.com/p", Settings: []debug.BuildSetting{{Key: "-tags", Value: "a"},
		{Key: "CGO_ENABLED", Value: "0"}, {Key: "GOFIPS140", Value: "latest"}, {Key: "vcs.modified", Value: "true"}}}
	r, problem := findBuild(t.Context(), dir, filepath.Join(dir, "p"), info)
	if r == nil {
		t.Fatal(problem)
	}
	if want := []string{"CGO_ENABLED=0", "GOFIPS140=latest"}; !slices.Equal(r.env, want) ||
		!slices.Equal(r.flags, []string{"-tags=a"}) {
		t.Errorf("%q with %q", r.env, r.flags)
	}
}
