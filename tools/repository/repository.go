// Package repository creates small git repositories for tools and tests.
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

// mostOutput is the number of bytes that are kept of each stream of git.
const mostOutput = 1 << 20

// Write writes files into a folder, by name.
func Write(dir string, files map[string]string) error {
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// Make creates a repository in a folder, with one commit of the given files and the existing ones. It does not
// use the settings of git.
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

// namesRepository reports whether a variable names the repository of a git hook, or of git rebase --exec, that
// started this process.
func namesRepository(variable string) bool {
	name, _, _ := strings.Cut(variable, "=")
	return slices.Contains([]string{"GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY",
		"GIT_INDEX_FILE"}, name)
}
