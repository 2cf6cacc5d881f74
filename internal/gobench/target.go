// Package gobench builds and runs existing Go benchmarks. It compiles a package's test binary once for each
// revision, and runs each trial in a fresh process of it.
//
// Nothing in the user's tree changes. Binaries, and the helper that reads the runtime's counters, are in a
// workshop in the cache directory; another revision is in a git worktree there. See [Workshop] for its removal.
package gobench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/internal/proc"
)

// Target is the package whose benchmarks are measured, in the user's tree.
type Target struct {
	ImportPath string
	Module     string // path of its module; "" if it is not known
	Dir        string // absolute, without symbolic links
	GoMod      string // path of the go.mod of its module; "" outside a module
	GoWork     string // path of the go.work in use; "" or "off" if there is none
}

// Resolve finds the one package with tests that a pattern such as ./codec matches, relative to dir.
func Resolve(ctx context.Context, dir, pattern string) (Target, error) {
	if strings.HasSuffix(pattern, ".go") {
		return Target{}, fmt.Errorf("%s is a file: give the package that it is in, such as %s", pattern,
			packageOf(pattern))
	}
	if inside := filepath.Join(dir, pattern); !filepath.IsAbs(pattern) && strings.HasPrefix(pattern, ".") &&
		isDir(inside) {
		dir, pattern = inside, "." // it may belong to another module than dir
	}
	out, err := run(ctx, dir, nil, "go", "list", "-json=ImportPath,Dir,TestGoFiles,XTestGoFiles", "--", pattern)
	if err != nil {
		return Target{}, fmt.Errorf("%s is not a package that go list finds: %w", pattern, err)
	}
	var with []Target
	all := 0
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); all++ {
		var p struct {
			ImportPath, Dir           string
			TestGoFiles, XTestGoFiles []string
		}
		if err := dec.Decode(&p); err != nil {
			return Target{}, fmt.Errorf("the output of go list %s cannot be read: %w", pattern, err)
		}
		if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
			with = append(with, Target{ImportPath: p.ImportPath, Dir: p.Dir})
		}
	}
	switch {
	case all == 0:
		return Target{}, fmt.Errorf("%s matches no package", pattern)
	case len(with) == 0:
		return Target{}, fmt.Errorf("%s has no test file, and so no benchmark", pattern)
	case len(with) > 1:
		var names []string
		for _, t := range with {
			names = append(names, t.ImportPath)
		}
		return Target{}, fmt.Errorf("%s names %d packages with tests; give one of them: %s", pattern, len(with),
			strings.Join(names, ", "))
	}
	t := with[0]
	return t, t.locate(ctx)
}

// locate finds the real directory of the package, its go.mod and the go.work in use.
func (t *Target) locate(ctx context.Context) (err error) {
	if t.Dir, err = filepath.EvalSymlinks(t.Dir); err != nil {
		return err
	}
	out, err := run(ctx, t.Dir, nil, "go", "env", "GOMOD", "GOWORK")
	if err != nil {
		return err
	}
	lines := strings.Split(string(out)+"\n\n", "\n")
	t.GoMod, t.GoWork = realPath(strings.TrimSpace(lines[0])), realPath(strings.TrimSpace(lines[1]))
	if t.GoMod == os.DevNull {
		t.GoMod = ""
	}
	return nil
}

// packageOf returns the pattern of the package of a file.
func packageOf(file string) string {
	dir := filepath.ToSlash(filepath.Dir(file))
	if filepath.IsAbs(dir) || strings.HasPrefix(dir, ".") {
		return dir
	}
	return "./" + dir
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// realPath returns a path without symbolic links, if the file exists.
func realPath(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil && path != "" {
		return r
	}
	return path
}

// run runs a tool and returns its output; the error holds what the tool printed about the problem. The tool
// continues if this process is killed, because git must not stop halfway. The mark of a workshop lets the next
// one end a compilation.
func run(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	c := proc.Command{Dir: dir, Detached: true}
	c.Env = append(slices.DeleteFunc((&exec.Cmd{Dir: dir}).Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(gitVariables, name)
	}), env...)
	stdout, _, err := c.Tool(ctx, input.Output.Bytes(), name, args...)
	return []byte(stdout), err
}
