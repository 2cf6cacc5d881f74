package repository

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestMake: the files are committed, without any settings of git.
func TestMake(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	dir := t.TempDir()
	if err := Make(t.Context(), dir, map[string]string{"a.txt": "a\n", "b.txt": "b\n"}); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[[3]string]string{{"show", "HEAD:a.txt", "HEAD:b.txt"}: "a\nb\n",
		{"status", "--porcelain", "."}: "", {"rev-list", "--count", "HEAD"}: "1\n"} {
		cmd := exec.Command("git", args[:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("git %v: %q, %v", args, out, err)
		}
	}
	if err := Make(t.Context(), filepath.Join(dir, "missing"), map[string]string{"a": ""}); !os.IsNotExist(err) {
		t.Errorf("in a folder that is not there: %v", err)
	}
}
