package collect

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/brewput/brewput/internal/hook"
	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/internal/proc"
)

// recipe is how a program is built.
type buildConfig struct {
	dir      string   // where the go command runs
	packages []string // a package, or files
	flags    []string
	env      []string
	work     string // a place, for the files of the go command; "" before there is one
	test     bool
	pkg      goPackage
}

// listed is what go list says of a package.
type goPackage struct {
	ImportPath, Dir, Name string
	GoFiles               []string
	Module                *struct{ Path, Dir string }
}

// goCommand runs the go command and returns what it prints.
func goCommand(ctx context.Context, dir string, env []string, args ...string) (stdout, stderr string, err error) {
	c := proc.Command{Dir: dir, Env: append((&exec.Cmd{Dir: dir}).Environ(), env...)}
	stdout, stderr, err = c.Tool(ctx, input.Output.Bytes(), "go", args...)
	if ctx.Err() != nil {
		err = cmp.Or(timeLimitError(ctx), ctx.Err())
	}
	return stdout, stderr, err
}

// environment is that of the go command. What it leaves when it is killed goes with the place, and with the mark of
// that the next explain ends it.
func (r *buildConfig) environment() []string {
	if r.work == "" {
		return r.env
	}
	return append(r.env[:len(r.env):len(r.env)], "GOTMPDIR="+r.work, proc.Mark(r.work))
}

// list asks the go command for the one package of a recipe.
func (r *buildConfig) list(ctx context.Context) error {
	args := append([]string{"list", "-json=ImportPath,Dir,Name,GoFiles,Module"}, listFlags(r.flags)...)
	out, _, err := goCommand(ctx, r.dir, r.environment(), append(append(args, "--"), r.packages...)...)
	if err != nil {
		return err
	}

	dec := json.NewDecoder(strings.NewReader(out))
	if err := dec.Decode(&r.pkg); err != nil {
		return fmt.Errorf("%s matches no package", strings.Join(r.packages, " "))
	}
	if dec.More() {
		return fmt.Errorf("%s names several packages; give one of them", strings.Join(r.packages, " "))
	}

	return nil
}

// listFlags are the flags of a build that decide which files belong to it.
func listFlags(flags []string) []string {
	var list []string
	for _, f := range flags {
		name, _, _ := strings.Cut(strings.TrimLeft(f, "-"), "=")
		switch name {
		case "tags", "mod", "modfile", "race", "msan", "asan":
			list = append(list, f)
		}
	}
	return list
}

// build compiles the program as it is.
func (r *buildConfig) build(ctx context.Context, to string, more ...string) error {
	args := []string{"build", "-buildvcs=false"}
	if r.test {
		args = []string{"test", "-c", "-buildvcs=false"}
	}

	args = append(append(args, r.flags...), more...)
	_, _, err := goCommand(ctx, r.dir, r.environment(), append(append(args, "-o", to), r.packages...)...)
	if err == nil {
		if _, gone := os.Stat(to); gone != nil {
			err = fmt.Errorf("%s has no test file that takes part in the build", strings.Join(r.packages, " "))
		}
	}

	return err
}

// buildHooked compiles it with the hook: one more file in its package, and one in runtime/debug.
func (r *buildConfig) buildHooked(ctx context.Context, work, to string) error {
	out, _, err := goCommand(ctx, r.dir, r.environment(), "env", "GOROOT", "GOFLAGS")
	if err != nil {
		return err
	}

	goroot, goflags, _ := strings.Cut(out, "\n")
	if strings.Contains(goflags, "-overlay") || strings.Contains(strings.Join(r.flags, " "), "-overlay") {
		return errors.New("the build has an overlay already")
	}

	// Variables are initialized in the order of files.
	name, pkg := "0brewput_explain.go", r.pkg.Name
	if r.test {
		name, pkg = "0brewput_explain_test.go", pkg+"_test"
	}

	replace := map[string]string{}
	for _, f := range []struct{ at, name, text string }{
		{filepath.Join(r.pkg.Dir, name), "hook.go", hook.Source(pkg)},
		{filepath.Join(strings.TrimSpace(goroot), "src", "runtime", "debug", "brewput.go"), "exit.go", hook.ExitFile},
	} {
		replace[f.at] = filepath.Join(work, f.name)
		if err := os.WriteFile(replace[f.at], []byte(f.text), 0o666); err != nil {
			return err
		}
	}

	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}

	overlay := filepath.Join(work, "overlay.json")
	if err := os.WriteFile(overlay, list, 0o666); err != nil {
		return err
	}

	hooked := *r
	if strings.HasSuffix(r.packages[0], ".go") {
		hooked.packages = append([]string{filepath.Join(r.pkg.Dir, name)}, r.packages...)
	}

	return hooked.build(ctx, to, "-overlay="+overlay)
}
