// Package repository makes small git repositories for tools and tests.
package repository

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brewput/brewput/internal/proc"
)

// mostOutput is the most that is kept of each stream of git, in bytes.
const mostOutput = 1 << 20

// Write writes files into a folder, by their names.
func Write(dir string, files map[string]string) error {
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// Make makes a folder a repository whose one commit has the files, and what else is there. It needs no settings of git.
func Make(ctx context.Context, dir string, files map[string]string) error {
	if err := Write(dir, files); err != nil {
		return err
	}
	c := proc.Command{Dir: dir, Env: slices.DeleteFunc(os.Environ(), namesRepository)}
	commit := []string{"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "base"}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, commit} {
		if _, _, err := c.Tool(ctx, mostOutput, "git", args...); err != nil {
			return fmt.Errorf("git %s: %w", args[0], err)
		}
	}
	return nil
}

// ofAnother reports whether a variable names the repository of a hook of git, or of git rebase --exec, that runs this.
func namesRepository(variable string) bool {
	name, _, _ := strings.Cut(variable, "=")
	return slices.Contains([]string{"GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY",
		"GIT_INDEX_FILE"}, name)
}
