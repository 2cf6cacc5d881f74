package collect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/result"
)

// isPattern reports whether a word names a set of packages, as ./... does.
func isPattern(word string) bool { return strings.Contains(word, "...") }

// listed is the output of go list for a package of a pattern.
type listed struct {
	Dir, Name                 string
	TestGoFiles, XTestGoFiles []string
}

// benchmark matches the declaration of a benchmark.
var benchmark = regexp.MustCompile(`(?m)^func Benchmark([^a-z(]\w*)?\(\w+ \*testing\.B\)`)

// PackageCommand returns the command line that builds and runs a package with arguments, or a library's benchmarks.
// Of a pattern such as ./... it is the only main package, or else the benchmarks of the only package that has some. If
// there are several, the error lists them with the target for each. dir is the directory of the pattern.
func PackageCommand(ctx context.Context, dir, pattern string, args []string) ([]string, error) {
	switch {
	case isPattern(pattern):
	case len(args) == 0 && isBenchmarked(ctx, dir, pattern):
		return []string{"go", "test", "-bench", ".", pattern}, nil
	default:
		return append([]string{"go", "run", pattern}, args...), nil
	}

	list, err := listPackages(ctx, dir, pattern, nil)
	if err != nil {
		return nil, err
	}
	var mains []string
	for _, p := range list {
		if p.Name == "main" {
			mains = append(mains, relative(dir, p.Dir))
		}
	}

	switch {
	case len(mains) == 1:
		return append([]string{"go", "run", mains[0]}, args...), nil
	case len(mains) > 1:
		return nil, fmt.Errorf("%s has %s; give one of them:\n    explain %s", pattern,
			result.Count(len(mains), "main package"), strings.Join(mains, "\n    explain "))
	case len(args) > 0:
		return nil, fmt.Errorf("%s has no main package that could have the arguments %s; leave them out to explain "+
			"its benchmarks", pattern, strings.Join(args, " "))
	}
	command := []string{"go", "test", "-bench", ".", pattern}
	only, err := onlyBenchmarks(ctx, list, dir, pattern, command)
	if err != nil {
		return nil, err
	}
	return append(command[:4], only), nil
}

// isBenchmarked reports whether a package is a library that has benchmarks. What prevents to know it also prevents to
// build the package, with an error that says more.
func isBenchmarked(ctx context.Context, dir, pkg string) bool {
	if inside := filepath.Join(dir, pkg); strings.HasPrefix(pkg, ".") && isDir(inside) {
		dir, pkg = inside, "." // which may belong to another module
	}
	list, err := listPackages(ctx, dir, pkg, nil)
	if err != nil || len(list) != 1 || list[0].Name == "main" {
		return false
	}
	ok, err := list[0].hasBenchmarks(ctx)
	return ok && err == nil
}

// onlyBenchmarks returns the only package of a pattern that has benchmarks. If there are several, the error lists the
// command with each of them in the place of the pattern. If there is none, it lists the commands that explain tests.
func onlyBenchmarks(ctx context.Context, list []listed, dir, pattern string, command []string) (string, error) {
	var found []string
	commands, tests := "", ""
	for _, p := range list {
		ok, err := p.hasBenchmarks(ctx)
		if err != nil {
			return "", err
		}
		at := relative(dir, p.Dir)
		if p.hasTests() {
			tests += "\n    explain -- go test " + at
		}
		if ok {
			found = append(found, at)
			commands += insteadOf(pattern, at, command)
		}
	}

	switch {
	case len(found) == 0 && tests != "":
		return "", fmt.Errorf("%s has no program and no benchmark, but tests; give the tests of one package:%s",
			pattern, tests)
	case len(found) == 0:
		return "", fmt.Errorf("%s has no program and no benchmark to explain: give a program, as in explain -- ./prog",
			pattern)
	case len(found) == 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%s has benchmarks in %s; give one of them:%s", pattern,
		result.Count(len(found), "package"), commands)
}

// onlyTests returns the only package of a pattern that has tests. If there are several, the error lists the command
// with each of them in the place of the pattern.
func onlyTests(list []listed, dir, pattern string, command []string) (string, error) {
	var found []string
	commands := ""
	for _, p := range list {
		if p.hasTests() {
			found = append(found, relative(dir, p.Dir))
			commands += insteadOf(pattern, found[len(found)-1], command)
		}
	}

	switch len(found) {
	case 0:
		return "", fmt.Errorf("%s has no tests to explain: give a program, as in explain -- ./prog", pattern)
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%s has tests in %s; give one of them:%s", pattern, result.Count(len(found), "package"),
		commands)
}

// insteadOf returns a line of an error: the command with a package in the place of the pattern.
func insteadOf(pattern, pkg string, command []string) string {
	return "\n    explain -- " + strings.ReplaceAll(strings.Join(command, " "), pattern, pkg)
}

// listPackages returns the packages of a pattern, as some build flags select their files. A folder below dir may belong
// to another module.
func listPackages(ctx context.Context, dir, pattern string, flags []string) (list []listed, err error) {
	folder, rest, _ := strings.Cut(pattern, "...")
	if inside := filepath.Join(dir, folder); strings.HasPrefix(pattern, ".") && strings.HasSuffix(folder, "/") &&
		isDir(inside) {
		dir, pattern = inside, "./..."+rest
	}
	args := append([]string{"list", "-json=Dir,Name,TestGoFiles,XTestGoFiles"}, flags...)
	out, _, err := goCommand(ctx, dir, nil, append(args, "--", pattern)...)
	if err != nil {
		return nil, fmt.Errorf("%s matches no packages: %w", pattern, err)
	}

	dec := json.NewDecoder(strings.NewReader(out))
	for {
		var p listed
		switch err := dec.Decode(&p); {
		case errors.Is(err, io.EOF):
			return list, nil
		case err != nil:
			return nil, err
		}
		list = append(list, p)
	}
}

// hasTests reports whether the package has test files.
func (p listed) hasTests() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// hasBenchmarks reports whether a test file of the package declares a benchmark.
func (p listed) hasBenchmarks(ctx context.Context) (bool, error) {
	for _, name := range append(p.TestGoFiles, p.XTestGoFiles...) {
		text, err := input.ReadFile(ctx, filepath.Join(p.Dir, name), input.Source)
		if err != nil {
			return false, err
		}
		if benchmark.Match(text) {
			return true, nil
		}
	}
	return false, nil
}

// relative returns a folder as a package path relative to dir: ./cmd/x.
func relative(dir, folder string) string {
	rel, err := filepath.Rel(dir, folder)
	switch {
	case err != nil:
		return folder
	case rel == "." || strings.HasPrefix(rel, ".."):
		return filepath.ToSlash(rel)
	}
	return "./" + filepath.ToSlash(rel)
}
