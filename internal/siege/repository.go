//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// benchmarks are the files of a small module with benchmarks.
var benchmarks = map[string]string{
	"go.mod": "module example.com/cups\n\ngo 1.24\n",
	"cups_test.go": `package cups

import "testing"

var sink int

func BenchmarkBrew(b *testing.B) {
	for b.Loop() {
		for i := range 1000 {
			sink += i
		}
	}
}

func BenchmarkCups(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		sink += len(make([]int, sink&7))
	}
}
`,
}

func writeFiles(dir string, files map[string]string) error {
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// makeRepository makes a repository whose one commit has the files.
func makeRepository(ctx context.Context, dir string, files map[string]string) error {
	if err := writeFiles(dir, files); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=siege", "-c", "user.email=siege@example.com", "commit", "-q", "-m", "base"}} {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w\n%s", args[0], err, out)
		}
	}
	return nil
}
