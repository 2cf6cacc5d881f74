package collect

import (
	"context"
	"path/filepath"
	"strings"
)

// SourceRoots are the directories whose sources may be shown to whoever asks for them: that of Go's own library, that
// of the module here, and that of the program if this process ran it. What a saved profile, or another process, says of
// its program does not count.
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
