package collect

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"debug/elf"
	"debug/gosym"
	"debug/macho"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/brewput/brewput/internal/input"
)

// findBuild finds the source of a program and how it was built. It returns nil and the reason if it cannot.
func findBuild(ctx context.Context, dir, path string, info *buildinfo.BuildInfo) (*buildConfig, string) {
	if info.Path == "" {
		return nil, "its build information names no package"
	}

	r := &buildConfig{}
	for _, s := range info.Settings {
		switch s.Key {
		case "-tags", "-ldflags", "-gcflags", "-asmflags", "-race", "-msan", "-asan", "-pgo", "-compiler":
			r.flags = append(r.flags, s.Key+"="+s.Value)
		case "CGO_ENABLED", "GOAMD64", "GOARM64", "GOARM", "GOEXPERIMENT", "GOFIPS140", "CGO_CFLAGS", "CGO_CPPFLAGS",
			"CGO_CXXFLAGS", "CGO_LDFLAGS":
			r.env = append(r.env, s.Key+"="+s.Value)
		}
	}

	files, err := mainFiles(path)
	var dirs []string // that may hold the source
	if err == nil && len(files) > 0 {
		dirs = append(dirs, filepath.Dir(files[0]))
	}
	if info.Path == "command-line-arguments" {
		if len(files) == 0 || !slices.ContainsFunc(files, exists) {
			return nil, "its source files are not where they were compiled"
		}
		r.dir, r.packages = filepath.Dir(files[0]), slices.DeleteFunc(files, func(f string) bool { return !exists(f) })
		return r.check(ctx, info.Path)
	}

	problem := "its source is not available"
	for _, p := range append(dirs, dir, filepath.Dir(path)) {
		if !isDir(p) {
			continue
		}
		candidate := *r
		candidate.dir, candidate.packages = p, []string{info.Path}
		if found, reason := candidate.check(ctx, info.Path); found != nil {
			return found, ""
		} else if ctx.Err() == nil && exists(filepath.Join(p, "go.mod")) {
			problem = reason
		}
	}

	return nil, problem
}

// check returns the configuration if its package is the one with the import path, and otherwise nil and the reason.
func (r *buildConfig) check(ctx context.Context, importPath string) (*buildConfig, string) {
	if err := r.list(ctx); err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return nil, first
	}
	if r.pkg.Name != "main" || r.pkg.ImportPath != importPath {
		return nil, fmt.Sprintf("%s holds another package", r.dir)
	}
	return r, ""
}

// isNewerThan reports whether a source file is newer than a program.
func (r *buildConfig) isNewerThan(path string) bool {
	was, err := os.Stat(path)
	if err != nil {
		return false
	}

	return slices.ContainsFunc(r.pkg.GoFiles, func(name string) bool {
		if !filepath.IsAbs(name) {
			name = filepath.Join(r.pkg.Dir, name)
		}
		info, err := os.Stat(name)
		return err == nil && info.ModTime().After(was.ModTime())
	})
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

// mainFiles returns the source files of package main in a program, the one with the function main first. They come from
// the table for stack traces, which stripped programs have too.
func mainFiles(path string) (files []string, err error) {
	defer func() { // the table of another Go version may be misread
		if recover() != nil {
			files, err = nil, errors.New("its table of functions cannot be read")
		}
	}()
	data, text, err := lineTable(path)
	if err != nil {
		return nil, err
	}

	table, err := gosym.NewTable(nil, gosym.NewLineTable(data, text))
	if err != nil {
		return nil, err
	}

	for i := range table.Funcs {
		f := &table.Funcs[i]
		if f.PackageName() != "main" {
			continue
		}
		file, _, _ := table.PCToLine(f.Entry)
		if !filepath.IsAbs(file) || slices.Contains(files, file) {
			continue
		}
		if f.Name == "main.main" {
			files = slices.Insert(files, 0, file)
		} else {
			files = append(files, file)
		}
	}
	if len(files) == 0 {
		return nil, errors.New("it was built with -trimpath")
	}

	return files, nil
}

// lineTable returns the table of functions and lines of a program, and the address of its code.
func lineTable(path string) (data []byte, text uint64, err error) {
	in, err := input.Open(context.Background(), path, input.Program)
	if err != nil {
		return nil, 0, err
	}

	defer in.Close()
	switch runtime.GOOS {
	case "darwin":
		f, err := macho.NewFile(in)
		if err != nil {
			return nil, 0, err
		}
		table, code := f.Section("__gopclntab"), f.Section("__text")
		if table == nil || code == nil {
			return nil, 0, errors.New("it has no table of functions")
		}
		data, err = table.Data()
		return data, code.Addr, err
	case "windows":
		return nil, 0, errors.New("its table of functions is not read here")
	}

	f, err := elf.NewFile(in)
	if err != nil {
		return nil, 0, err
	}

	code := f.Section(".text")
	for _, name := range []string{".gopclntab", ".data.rel.ro.gopclntab"} {
		if table := f.Section(name); table != nil && code != nil {
			data, err = table.Data()
			return data, code.Addr, err
		}
	}

	return nil, 0, errors.New("it has no table of functions")
}

// sourceReader returns a function that returns lines of source files. It reads each file once and is not safe for
// concurrent use. A file that is not regular, or too large for source code, has no lines.
func sourceReader() func(file string, line int) string {
	read := map[string][][]byte{}
	return func(file string, line int) string {
		text, ok := read[file]
		if !ok {
			if all, err := input.ReadFile(context.Background(), file, input.Source); err == nil {
				text = bytes.Split(all, []byte("\n"))
			}
			read[file] = text
		}
		if line < 1 || line > len(text) {
			return ""
		}
		return strings.TrimSpace(string(text[line-1]))
	}
}
