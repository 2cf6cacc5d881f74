package pprofui

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/pprof/driver"
	"github.com/google/pprof/profile"

	"github.com/brewput/brewput/internal/input"
)

// notServed replaces the directory of a source file that is not served. No file can be opened below another file, so
// that pprof, which opens any file that a profile names, finds nothing.
const notServed = "/dev/null/source-not-served/"

// sourceNames are the extensions of source files.
var sourceNames = []string{".go", ".s", ".c", ".h"}

// confine restricts the source files of a profile to those below roots, after resolving symbolic links. An untrusted
// profile may name any file, which pprof would read and show.
func confine(p *profile.Profile, roots []string) {
	var real []string
	for _, root := range roots {
		if r, err := filepath.EvalSymlinks(root); err == nil && filepath.IsAbs(r) {
			real = append(real, r)
		}
	}

	known := map[string]string{}
	for _, f := range p.Function {
		if f.Filename == "" {
			continue
		}
		to, ok := known[f.Filename]
		if !ok {
			to = confined(f.Filename, real)
			known[f.Filename] = to
		}
		f.Filename = to
	}
}

// confined returns the path of a source file if it may be served, and otherwise a path that cannot be opened.
func confined(name string, roots []string) string {
	if real, err := filepath.EvalSymlinks(name); err == nil && filepath.IsAbs(name) && source(real) {
		for _, root := range roots {
			if rel, err := filepath.Rel(root, real); err == nil && filepath.IsLocal(rel) {
				return real
			}
		}
	}
	return notServed + filepath.Base(strings.ReplaceAll(name, `\`, "/"))
}

// source reports whether a path without symbolic links is a source file.
func source(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() <= input.Source.Bytes() &&
		slices.Contains(sourceNames, filepath.Ext(path))
}

// noObjects replaces pprof's tools for binaries. They would disassemble any file that a profile names as its program,
// and show the source files that the binary names.
type noObjects struct{}

var errNoObjects = errors.New("programs are not read")

func (noObjects) Open(string, uint64, uint64, uint64, string) (driver.ObjFile, error) {
	return nil, errNoObjects
}

func (noObjects) Disasm(string, uint64, uint64, bool) ([]driver.Inst, error) {
	return nil, errNoObjects
}
