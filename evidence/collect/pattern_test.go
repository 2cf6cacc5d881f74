package collect

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	mainFile  = "package main\n\nfunc main() {}\n"
	libFile   = "package lib\n"
	benchFile = "package lib\n\nimport \"testing\"\n\nfunc BenchmarkX(b *testing.B) {}\n"
	testFile  = "package lib\n\nimport \"testing\"\n\nfunc TestX(*testing.T) {}\n\n// func BenchmarkY(b *testing.B)\n"
)

// What ./... means depends on the packages below it.
func TestPackageCommand(t *testing.T) {
	for _, c := range []struct {
		name, pattern string
		files         map[string]string
		args          []string
		want, wrong   string // the command line, or all parts of the error
	}{
		{"no pattern", "./cmd/x", nil, []string{"-n", "1"}, "go run ./cmd/x -n 1", ""},
		{"a program with benchmarks", "./cmd/x", map[string]string{"cmd/x/x.go": mainFile,
			"cmd/x/x_test.go": strings.Replace(benchFile, "lib", "main", 1)}, nil, "go run ./cmd/x", ""},
		{"a library with benchmarks", "./lib", map[string]string{"lib/lib.go": libFile, "lib/lib_test.go": benchFile},
			nil, "go test -bench . ./lib", ""},
		{"a library with tests", "./lib", map[string]string{"lib/lib.go": libFile, "lib/lib_test.go": testFile}, nil,
			"go run ./lib", ""},
		{"arguments for a library", "./lib", map[string]string{"lib/lib.go": libFile, "lib/lib_test.go": benchFile},
			[]string{"-n"}, "go run ./lib -n", ""},
		{"one program", "./...", map[string]string{"cmd/a/a.go": mainFile, "lib/lib.go": libFile,
			"lib/lib_test.go": benchFile}, []string{"-n"}, "go run ./cmd/a -n", ""},
		{"the program here", "./...", map[string]string{"a.go": mainFile}, nil, "go run .", ""},
		{"two programs", "./...", map[string]string{"cmd/a/a.go": mainFile, "cmd/b/b.go": mainFile}, nil, "",
			"has 2 main packages; give one|\n    explain ./cmd/a\n    explain ./cmd/b"},
		{"one of two programs", "./cmd/b/...", map[string]string{"cmd/a/a.go": mainFile, "cmd/b/b.go": mainFile}, nil,
			"go run ./cmd/b", ""},
		{"benchmarks", "./...", map[string]string{"lib/lib.go": libFile, "lib/lib_test.go": benchFile,
			"b/b.go": libFile, "b/b_test.go": testFile}, nil, "go test -bench . ./lib", ""},
		{"benchmarks outside their package", "./...", map[string]string{"lib/lib.go": libFile,
			"lib/lib_test.go": strings.Replace(benchFile, "lib", "lib_test", 1)}, nil, "go test -bench . ./lib", ""},
		{"two packages with benchmarks", "./...", map[string]string{"lib/lib.go": libFile,
			"lib/lib_test.go": benchFile, "b/b.go": libFile, "b/b_test.go": benchFile}, nil, "",
			"benchmarks in 2 packages|\n    explain -- go test -bench . ./b\n    explain -- go test -bench . ./lib"},
		{"arguments for benchmarks", "./...", map[string]string{"lib/lib.go": libFile, "lib/lib_test.go": benchFile},
			[]string{"-n"}, "", "no main package that could have the arguments -n"},
		{"nothing", "./...", map[string]string{"lib/lib.go": libFile, "lib/lib_test.go": testFile}, nil, "",
			"no program and no benchmark, but tests|\n    explain -- go test ./lib"},
		{"no tests", "./...", map[string]string{"lib/lib.go": libFile}, nil, "",
			"give a program, as in explain -- ./prog"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := module(t, c.files)
			got, err := PackageCommand(t.Context(), dir, c.pattern, slices.Clone(c.args))
			if text := strings.Join(got, " "); text != c.want {
				t.Errorf("got %q, %v; want %q", text, err, c.want)
			}
			for _, part := range strings.Split(c.wrong, "|") {
				if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), part) {
					t.Errorf("got %v; want %q", err, part)
				}
			}
		})
	}
}

// module returns the directory of a module with some files.
func module(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	files = maps.Clone(files)
	if files == nil {
		files = map[string]string{}
	}
	files["go.mod"] = "module example.com/m\n\ngo 1.24\n"
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Without -bench, go test ./... is about tests, even if only one package has benchmarks. Build flags select the files.
func TestTestPattern(t *testing.T) {
	tagged := "//go:build special\n\n" + benchFile
	for _, c := range []struct {
		name, args string
		files      map[string]string
		want       string // all parts of the package or of the error
	}{
		{"tests", "./...", map[string]string{"a/a_test.go": benchFile, "b/b_test.go": testFile, "c/c.go": libFile},
			"tests in 2 packages; give one|\n    explain -- go test ./a|\n    explain -- go test ./b"},
		{"tests of one package", "-v ./...", map[string]string{"b/b_test.go": testFile, "c/c.go": libFile}, "./b"},
		{"no tests", "./...", map[string]string{"c/c.go": libFile}, "has no tests to explain"},
		{"benchmarks", "-bench . ./...", map[string]string{"a/a_test.go": benchFile, "b/b_test.go": testFile}, "./a"},
		{"benchmarks with a tag", "-tags special -bench . ./...", map[string]string{"a/a_test.go": tagged,
			"b/b_test.go": testFile}, "./a"},
	} {
		parsed, err := parseTest(strings.Fields(c.args))
		if err != nil {
			t.Fatal(err)
		}
		got, err := parsed.onlyPackage(t.Context(), module(t, c.files), append([]string{"go", "test"},
			strings.Fields(c.args)...))
		if err != nil {
			got = err.Error()
		}
		for _, part := range strings.Split(c.want, "|") {
			if !strings.Contains(got, part) || err == nil && got != part {
				t.Errorf("%s: %q, want %q", c.name, got, part)
			}
		}
	}
}
