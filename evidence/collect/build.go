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
	"slices"
	"strings"

	"github.com/brewput/brewput/internal/hook"
	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/internal/proc"
)

// buildConfig is how a program is built.
type buildConfig struct {
	dir      string   // directory in which the go command runs
	packages []string // a package pattern, or source files
	flags    []string
	env      []string
	work     string // temporary directory for the go command; "" before there is one
	test     bool
	pkg      goPackage
}

// goPackage is the output of go list for a package.
type goPackage struct {
	ImportPath, Dir, Name string
	GoFiles               []string
	Module                *struct{ Path, Dir string }
}

// goCommand runs the go command in dir and returns its output. A time limit of ctx that is over is the error.
func goCommand(ctx context.Context, dir string, env []string, args ...string) (stdout, stderr string, err error) {
	c := proc.Command{Dir: dir, Env: append((&exec.Cmd{Dir: dir}).Environ(), env...)}
	stdout, stderr, err = c.Tool(ctx, input.Output.Bytes(), "go", args...)
	if ctx.Err() != nil {
		err = cmp.Or(timeLimitError(ctx), ctx.Err())
	}
	return stdout, stderr, err
}

// environment returns the environment of the go command. Its temporary files are in the work directory, and its mark
// lets a later explain end it if this process is killed.
func (r *buildConfig) environment() []string {
	if r.work == "" {
		return r.env
	}
	return append(r.env[:len(r.env):len(r.env)], "GOTMPDIR="+r.work, proc.Mark(r.work))
}

// list sets pkg by go list. Several packages, or none, are an error.
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

// listFlags returns the build flags that decide which files belong to the build.
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

// build compiles the program, or the test binary, to a file.
func (r *buildConfig) build(ctx context.Context, to string, more ...string) error {
	args := []string{"build", "-buildvcs=false"}
	if r.test {
		args = []string{"test", "-c", "-buildvcs=false"}
	}

	args = append(append(args, r.flags...), more...)
	_, _, err := goCommand(ctx, r.dir, r.environment(), append(append(args, "-o", to), r.packages...)...)
	if err == nil {
		if _, statErr := os.Stat(to); statErr != nil {
			err = fmt.Errorf("%s has no test file in this build", strings.Join(r.packages, " "))
		}
	}

	return err
}

// buildHooked compiles the program with the hook: one more file in its package and one in runtime/debug, added by an
// overlay.
func (r *buildConfig) buildHooked(ctx context.Context, work, to string) error {
	out, _, err := goCommand(ctx, r.dir, r.environment(), "env", "GOROOT", "GOFLAGS")
	if err != nil {
		return err
	}

	goroot, goflags, _ := strings.Cut(out, "\n")
	if strings.Contains(goflags, "-overlay") || strings.Contains(strings.Join(r.flags, " "), "-overlay") {
		return errors.New("the build has an overlay already")
	}

	// Variables are initialized in the order of the file names, so that the name of the hook comes first.
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

// firstError returns the first line of what the go command reports that is not the name of a package, a download or a
// warning.
func firstError(err error) string {
	lines := strings.Split(err.Error(), "\n")
	i := slices.IndexFunc(lines, func(l string) bool {
		return l != "" && !strings.HasPrefix(l, "# ") && !strings.HasPrefix(l, "go: downloading ") &&
			!strings.HasPrefix(l, "go: warning:")
	})
	return lines[max(0, i)]
}
