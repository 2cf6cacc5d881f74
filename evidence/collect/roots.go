package collect

import (
	"context"
	"path/filepath"
	"strings"
)

// SourceRoots returns the directories whose source files may be shown: the Go standard library, the module of the
// current directory and, if this process ran the program, the program's module. Directories named by a saved profile or
// by another process do not count.
func (c *Collected) SourceRoots(ctx context.Context) []string {
	var roots []string
	out, _, err := goCommand(ctx, "", nil, "env", "GOROOT", "GOMOD")
	goroot, mod, _ := strings.Cut(strings.TrimSpace(out), "\n")
	if err == nil && filepath.IsAbs(goroot) {
		roots = append(roots, filepath.Join(goroot, "src"))
	}
	if mod = strings.TrimSpace(mod); err == nil && filepath.Base(mod) == "go.mod" {
		roots = append(roots, filepath.Dir(mod))
	}
	if c.local && filepath.IsAbs(c.Program.Dir) {
		roots = append(roots, c.Program.Dir)
	}

	return roots
}
