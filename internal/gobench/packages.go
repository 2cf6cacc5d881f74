package gobench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/brewput/brewput/internal/input"
)

// Package is one of several packages that a run measures together.
type Package struct {
	Name       string `json:"name"` // prefix of its benchmarks' names, such as internal/hist
	ImportPath string `json:"import_path"`
	Dir        string `json:"dir"`
	// revisions that do not have it, or in which it does not compile
	Without []string `json:"without,omitempty"`
}

// everyOf is the end of the name of all benchmarks of a package: internal/hist.*
const everyOf = ".*"

// qualified is the name of a benchmark of the package. In a run of one package it is the benchmark's own.
func (p Package) qualified(benchmark string) string {
	if p.Name == "" {
		return benchmark
	}
	return p.Name + "." + benchmark
}

// in is the key of the package's checkout of a revision.
func (p Package) in(rev string) string { return rev + p.Name }

// packages returns the packages of the experiment; one without a name if there is only one.
func (x *Experiment) packages() []Package {
	if len(x.Packages) > 0 {
		return x.Packages
	}
	return []Package{{ImportPath: x.Package, Dir: x.Dir}}
}

// targets finds the packages of the experiment, or those that its patterns match. It names them if there are several.
func (x *Experiment) targets(ctx context.Context) (list []Target, err error) {
	switch {
	case len(x.Binaries)+len(x.Packages) > 0: // the run continues and compiles nothing, so they need not compile now
		for _, p := range x.packages() {
			t := Target{ImportPath: p.ImportPath, Dir: p.Dir}
			if !slices.Contains(p.Without, Head) { // otherwise its directory may be gone
				if err := t.locate(ctx); err != nil {
					return nil, err
				}
			}
			list = append(list, t)
		}
		return list, nil
	case len(x.Patterns) == 1:
		x.Package = x.Patterns[0]
	}
	if !severalPackages(x.Patterns) && !strings.Contains(x.Package, "...") {
		t, err := Resolve(ctx, x.Dir, x.Package)
		x.Dir, x.Package = t.Dir, t.ImportPath
		return []Target{t}, err
	}
	if list, err = resolveAll(ctx, x.Dir, x.Patterns); err != nil {
		return nil, err
	}
	if len(list) == 1 {
		x.Dir, x.Package = list[0].Dir, list[0].ImportPath
		return list, nil
	}
	x.nameAll(list)
	return list, nil
}

// severalPackages reports whether patterns may match several packages.
func severalPackages(patterns []string) bool {
	return len(patterns) > 1 || len(patterns) == 1 && strings.Contains(patterns[0], "...")
}

// nameAll makes several packages those of the experiment.
func (x *Experiment) nameAll(list []Target) {
	x.Package, x.Packages = list[0].Module+"/...", nil
	for i, name := range packageNames(list) {
		x.Packages = append(x.Packages, Package{Name: name, ImportPath: list[i].ImportPath, Dir: list[i].Dir})
	}
}

// packageNames names packages by their path in their module, or by their import path if there are several modules.
func packageNames(list []Target) (names []string) {
	module := list[0].Module
	one := module != "" && !slices.ContainsFunc(list, func(t Target) bool { return t.Module != module })
	for _, t := range list {
		name := t.ImportPath
		if rest, ok := strings.CutPrefix(name, module+"/"); ok && one {
			name = rest
		}
		names = append(names, name)
	}
	for i, name := range names { // the root of the module
		if short := path.Base(name); one && name == module && !slices.Contains(names, short) {
			names[i] = short
		}
	}
	return names
}

// resolveAll finds the packages with benchmarks that patterns match, relative to dir, each once.
func resolveAll(ctx context.Context, dir string, patterns []string) (list []Target, err error) {
	var seen []string
	for _, pattern := range patterns {
		found, err := withBenchmarks(ctx, Checkout{Dir: dir}, pattern)
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			if slices.Contains(seen, p.ImportPath) {
				continue
			}
			t := Target{ImportPath: p.ImportPath, Dir: p.Dir, Module: p.Module.Path}
			if err := t.locate(ctx); err != nil {
				return nil, err
			}
			seen, list = append(seen, p.ImportPath), append(list, t)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no package that %s matches has a benchmark", strings.Join(patterns, " "))
	}
	return list, nil
}

// listed is a package as go list describes it.
type listed struct {
	ImportPath, Dir           string
	TestGoFiles, XTestGoFiles []string
	Module                    struct{ Path, Dir string }
	Error                     *struct{ Err string }
}

// inside returns the directory in which a pattern below a directory matches, with the rest of the pattern. That
// directory may belong to another module than dir, where the go command would not find the packages.
func inside(dir, pattern string) (below, rest string) {
	if base, more, _ := strings.Cut(pattern, "..."); strings.HasPrefix(pattern, ".") && more == "" {
		if at := filepath.Join(dir, base); isDir(at) {
			return at, "." + strings.TrimPrefix(pattern, strings.TrimSuffix(base, "/"))
		}
	}
	return dir, pattern
}

// listPackages returns the packages that a pattern matches in a tree, relative to its directory, also those that do not
// compile.
func listPackages(ctx context.Context, c Checkout, pattern string) (list []listed, err error) {
	if strings.HasSuffix(pattern, ".go") {
		return nil, fmt.Errorf("%s is a file: give the package that it is in, such as %s", pattern, packageOf(pattern))
	}
	typed := pattern
	dir, pattern := inside(c.Dir, pattern)
	args := append([]string{"list", "-e", "-json=ImportPath,Dir,TestGoFiles,XTestGoFiles,Module,Error"}, c.flags...)
	out, err := run(ctx, dir, c.env, "go", append(args, "--", pattern)...)
	if err != nil {
		return nil, fmt.Errorf("%s is not a package that go list finds: %w", typed, err)
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p listed
		if err := dec.Decode(&p); err != nil {
			return nil, fmt.Errorf("the output of go list %s cannot be read: %w", typed, err)
		}
		if p.Dir == "" && p.Error != nil {
			return nil, fmt.Errorf("%s is not a package that go list finds: %s", typed, p.Error.Err)
		}
		list = append(list, p)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s matches no package", typed)
	}
	return list, nil
}

// benchmarkFunction matches the declaration of a benchmark.
var benchmarkFunction = regexp.MustCompile(`(?m)^func Benchmark([^a-z(\s]?[^(\s]*)\(`)

// withBenchmarks returns the packages of listPackages with benchmarks.
func withBenchmarks(ctx context.Context, c Checkout, pattern string) (list []listed, err error) {
	found, err := listPackages(ctx, c, pattern)
	if err != nil {
		return nil, err
	}
	for _, p := range found {
		has, err := p.hasBenchmarks(ctx)
		if err != nil {
			return nil, err
		}
		if has {
			list = append(list, p)
		}
	}
	return list, nil
}

// hasBenchmarks reports whether a test file of the package declares a benchmark.
func (p listed) hasBenchmarks(ctx context.Context) (bool, error) {
	for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
		text, err := input.ReadFile(ctx, filepath.Join(p.Dir, name), input.Source)
		if err != nil {
			return false, err
		}
		if benchmarkFunction.Match(text) {
			return true, nil
		}
	}
	return false, nil
}

// declared returns the functions that the test files of packages declare as benchmarks, as [Benchmark.function] names
// them: also those that build constraints exclude.
func (x *Experiment) declared(ctx context.Context, targets []Target) (map[string]bool, error) {
	all, packages := map[string]bool{}, x.packages()
	for i, t := range targets {
		entries, err := os.ReadDir(t.Dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), "_test.go") {
				continue
			}
			text, err := input.ReadFile(ctx, filepath.Join(t.Dir, e.Name()), input.Source)
			if err != nil {
				return nil, err
			}
			for _, match := range benchmarkFunction.FindAllSubmatch(text, -1) {
				all[packages[i].qualified(string(match[1]))] = true
			}
		}
	}
	return all, nil
}

// function returns the name of the benchmark's function, with its package if there are several.
func (b Benchmark) function() string {
	p := Package{Name: b.Package}
	name, _, _ := strings.Cut(strings.TrimPrefix(b.Name, p.qualified("")), "/")
	return p.qualified(name)
}
