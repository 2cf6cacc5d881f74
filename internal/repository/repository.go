// Package repository makes small git repositories for tools and tests.
package repository

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

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
	commit := []string{"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "base"}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, commit} {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w\n%s", args[0], err, out)
		}
	}
	return nil
}
