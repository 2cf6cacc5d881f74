package repository

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestMake checks that the files are committed without any settings of git.
func TestMake(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	home, dir, other := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	// No name is guessed, and the repository is not that of a git hook that runs the tests.
	if err := Write(home, map[string]string{".gitconfig": "[user]\n\tuseConfigOnly = true\n"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY",
		"GIT_INDEX_FILE"} {
		t.Setenv(name, filepath.Join(other, name))
	}
	if err := Make(t.Context(), dir, map[string]string{"a.txt": "a\n", "b.txt": "b\n"}); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(other); err != nil || len(entries) > 0 {
		t.Errorf("in another repository: %v, %v", entries, err)
	}
	for args, want := range map[[3]string]string{{"show", "HEAD:a.txt", "HEAD:b.txt"}: "a\nb\n",
		{"status", "--porcelain", "."}: "", {"rev-list", "--count", "HEAD"}: "1\n"} {
		cmd := exec.Command("git", args[:]...)
		cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("git %v: %q, %v", args, out, err)
		}
	}
	if err := Make(t.Context(), filepath.Join(dir, "missing"), map[string]string{"a": ""}); !os.IsNotExist(err) {
		t.Errorf("in a folder that is not there: %v", err)
	}
}
