package collect

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/internal/input"
)

// target is a program that can be run.
type target struct {
	about        evidence.Program
	plain        program     // as given; its path is "" before it is built
	*buildConfig             // nil if the source is not available
	hookProblem  string      // why it cannot be built with the hook; "" if it can
	bench        *benchmarks // for go test -bench; nil otherwise
	notes        []string
}

// resolve finds the program of a command line and builds it if necessary. It does not run it.
func resolve(ctx context.Context, work, dir string, args []string, progress func(string)) (*target, error) {
	if filepath.Base(args[0]) == "go" && len(args) > 1 {
		switch args[1] {
		case "run":
			return goRun(ctx, work, dir, args[2:], progress)
		case "test":
			return goTest(ctx, work, dir, args[2:], progress)
		}
	}

	path, err := exec.LookPath(args[0])
	if errors.Is(err, exec.ErrDot) {
		err = nil
	}
	if err != nil {
		return nil, notFoundError(dir, args[0], err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}

	s := &target{plain: program{path: path, args: args, dir: dir}}
	s.about = evidence.Program{Name: filepath.Base(args[0])}
	info, err := buildInfo(ctx, path)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, input.ErrRefused):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%s is not a Go program, or was built without its build information: explain reads "+
			"what the Go runtime knows, so give it a program that go build made", args[0])
	}

	s.about.Module, s.about.Main = info.Main.Path, info.Path
	s.buildConfig, s.hookProblem = findBuild(ctx, dir, path, info)
	if ctx.Err() != nil { // hookProblem would blame the source
		return nil, ctx.Err()
	}
	s.setSource()
	return s, nil
}

// notFoundError returns the error for a missing program, with what else could have been meant.
func notFoundError(dir, name string, err error) error {
	if info, e := os.Stat(filepath.Join(dir, name)); e == nil && info.IsDir() {
		return fmt.Errorf("%s is a directory: to build and run the package in it write explain %s "+
			"without the two dashes", name, name)
	}
	if strings.HasSuffix(name, ".go") {
		return fmt.Errorf("%s is a source file: write explain -- go run %s", name, name)
	}
	return fmt.Errorf("%s cannot be run: %w; give the path of a program, as in explain -- ./prog", name, err)
}

// goRun builds the program that go run would run.
func goRun(ctx context.Context, work, dir string, args []string, progress func(string)) (*target, error) {
	flags, rest, err := buildFlags(args)
	if err != nil {
		return nil, err
	}
	if len(rest) == 0 {
		return nil, errors.New("go run names no package; give one, as in explain -- go run ./cmd/x")
	}

	n := 1
	for strings.HasSuffix(rest[0], ".go") && n < len(rest) && strings.HasSuffix(rest[n], ".go") {
		n++
	}

	patterns := slices.Clone(rest[:n])
	r := &buildConfig{dir: dir, packages: patterns, flags: flags, work: work}
	// A package below dir may belong to another module.
	if inside := filepath.Join(dir, patterns[0]); n == 1 && strings.HasPrefix(patterns[0], ".") && isDir(inside) {
		r.dir, r.packages = inside, []string{"."}
	} else if filepath.IsAbs(patterns[0]) && isDir(patterns[0]) {
		r.dir, r.packages = patterns[0], []string{"."}
	}
	if err := r.list(ctx); err != nil {
		return nil, fmt.Errorf("%s is no package that can be built: %w", patterns[0], err)
	}
	if r.pkg.Name != "main" {
		return nil, fmt.Errorf("%s is a library, package %s: give a package main, its benchmarks (explain -- go test "+
			"-bench . %s) or its tests (explain -- go test %s)", patterns[0], r.pkg.Name, patterns[0], patterns[0])
	}

	name := filepath.Base(r.pkg.Dir)
	if strings.HasSuffix(patterns[0], ".go") {
		name = strings.TrimSuffix(filepath.Base(patterns[0]), ".go")
	}

	s := &target{buildConfig: r, plain: program{path: filepath.Join(work, "plain", name),
		args: append([]string{name}, rest[n:]...), dir: dir}}
	progress("building " + name)
	if err := r.build(ctx, s.plain.path); err != nil {
		return nil, fmt.Errorf("%s cannot be built:\n%w", patterns[0], err)
	}

	s.about = evidence.Program{Name: name, Main: r.pkg.ImportPath}
	s.setSource()
	return s, nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// valueFlags are the flags of go build that have a value.
var valueFlags = []string{"C", "p", "asmflags", "buildmode", "buildvcs", "compiler", "gccgoflags", "gcflags",
	"installsuffix", "ldflags", "mod", "modfile", "overlay", "pgo", "pkgdir", "tags", "toolexec", "exec", "covermode",
	"coverpkg", "o"}

// buildFlags separates the flags of go build, one word each, from the other arguments.
func buildFlags(args []string) (flags, rest []string, err error) {
	for i := 0; i < len(args); i++ {
		name, value, has := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		switch {
		case !strings.HasPrefix(args[i], "-") || args[i] == "-":
			return flags, args[i:], nil
		case args[i] == "--":
			return flags, args[i+1:], nil
		case slices.Contains([]string{"C", "exec", "toolexec", "o"}, name):
			return nil, nil, fmt.Errorf("go's flag -%s is not possible here: build the program yourself, and give it "+
				"as in explain -- ./prog", name)
		case !has && slices.Contains(valueFlags, name):
			if i++; i == len(args) {
				return nil, nil, fmt.Errorf("go's flag -%s has no value", name)
			}
			value, has = args[i], true
		}
		flag := "-" + name
		if has {
			flag += "=" + value
		}
		flags = append(flags, flag)
	}

	return flags, nil, nil
}

// setSource sets the parts of the program that its source determines.
func (s *target) setSource() {
	s.about.Source = sourceReader()
	if s.buildConfig == nil {
		return
	}
	s.about.Main = s.pkg.ImportPath
	if s.about.Dir = s.pkg.Dir; s.pkg.Module != nil {
		s.about.Module, s.about.Dir = s.pkg.Module.Path, s.pkg.Module.Dir
	}
}

// withCPUs returns the program with a number of CPUs and more variables in its environment.
func (p program) withCPUs(cpus int, env ...string) program {
	p.env = append(append(slices.Clone(p.env), env...), fmt.Sprintf("GOMAXPROCS=%d", cpus))
	if p.cpuFlag != "" {
		p.args = slices.Insert(slices.Clone(p.args), 1, fmt.Sprint(p.cpuFlag, cpus))
	}
	return p
}

// levels returns the numbers of CPUs for the runs, in ascending order.
func (o Options) levels() []int {
	if len(o.CPUs) > 0 {
		list := slices.Clone(o.CPUs)
		slices.Sort(list)
		return slices.Compact(list)
	}
	if n := runtime.GOMAXPROCS(0); n > 1 {
		return []int{1, n}
	}
	return []int{1}
}

// IsProgram reports whether a file is a Go program with build information.
func IsProgram(ctx context.Context, path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() { // a pipe can be read only once
		return false
	}
	_, err := buildInfo(ctx, path)
	return err == nil
}

// buildInfo reads the build information of a program.
func buildInfo(ctx context.Context, path string) (*buildinfo.BuildInfo, error) {
	f, err := input.Open(ctx, path, input.Program)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return buildinfo.Read(f)
}
