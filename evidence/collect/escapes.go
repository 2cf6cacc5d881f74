package collect

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/brewput/brewput/evidence"
)

// addEscapes adds the compiler's escape analysis if it ends within the time limit. The first time it may have to
// compile much.
func (k *collector) addEscapes(ctx context.Context) {
	if k.buildConfig == nil || k.isTooLate("escape analysis", 0) {
		return
	}
	limited, cancel := context.WithDeadline(ctx, k.deadline)
	defer cancel()
	if k.Escapes = k.escapes(limited); limited.Err() != nil {
		k.Escapes = nil
		k.isTooLate("escape analysis", 0)
	}
}

// escapes returns the values that the compiler puts on the heap, in the packages of the program's module. It returns
// nil without the source.
func (r *buildConfig) escapes(ctx context.Context) []evidence.Escape {
	if r == nil {
		return nil
	}

	pattern := r.pkg.ImportPath
	if r.pkg.Module != nil {
		pattern = r.pkg.Module.Path + "/..."
	}

	// This command compiles but does not link. Its errors do not matter, because the program has been compiled before.
	args := []string{"list", "-deps", "-export", "-f", "{{.Name}}", "-gcflags=" + pattern + "=-m"}
	if r.test {
		args = append(args, "-test")
	}

	args = append(args, slices.DeleteFunc(slices.Clone(r.flags),
		func(f string) bool { return strings.Contains(f, "-gcflags") })...)
	_, said, _ := goCommand(ctx, r.dir, r.environment(), append(append(args, "--"), r.packages...)...)
	return parseEscapes(r.dir, said)
}

var escapeLine = regexp.MustCompile(`^(\S.*\.go):(\d+):\d+: ((?:.* escapes to heap|moved to heap: .*))$`)

// parseEscapes parses the compiler's output for -m. File names are relative to dir.
func parseEscapes(dir, text string) []evidence.Escape {
	var list []evidence.Escape
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		m := escapeLine.FindStringSubmatch(line)
		if m == nil || seen[line] {
			continue
		}
		seen[line] = true
		number, err := strconv.Atoi(m[2])
		if err != nil {
			continue
		}
		file := m[1]
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		list = append(list, evidence.Escape{File: file, Line: number, Reason: m[3]})
	}

	return list
}
