package explain

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/brewput/brewput/evidence"
)

// program wraps the program of the evidence with questions about its stacks and its source.
type program struct {
	*evidence.Program
	sources   *sources
	functions map[string]string // the function at each position that was printed
}

func newProgram(p *evidence.Program) program {
	s := &sources{token.NewFileSet(), map[string]*ast.File{}, map[call]evidence.Frame{},
		map[*ast.File]map[string][]*ast.FuncDecl{}}
	return program{p, s, map[string]string{}}
}

// packagePath returns the import path of a function's package: "image/png" for "image/png.(*encoder).writeIDATs".
func packagePath(function string) string {
	if i := strings.IndexByte(function, '['); i >= 0 { // type arguments contain paths too
		function = function[:i]
	}
	slash := strings.LastIndexByte(function, '/')
	dot := strings.IndexByte(function[slash+1:], '.')
	if dot < 0 {
		return function
	}
	return function[:slash+1+dot]
}

// standardPackages are the first elements of the import paths of the Go standard library and of the go command.
var standardPackages = map[string]bool{
	"archive": true, "bufio": true, "bytes": true, "cmd": true, "cmp": true, "compress": true, "container": true,
	"context": true, "crypto": true, "database": true, "debug": true, "embed": true, "encoding": true,
	"errors": true, "expvar": true, "flag": true, "fmt": true, "go": true, "hash": true, "html": true,
	"image": true, "index": true, "internal": true, "io": true, "iter": true, "log": true, "maps": true,
	"math": true, "mime": true, "net": true, "os": true, "path": true, "plugin": true, "reflect": true,
	"regexp": true, "runtime": true, "slices": true, "sort": true, "strconv": true, "strings": true,
	"structs": true, "sync": true, "syscall": true, "testing": true, "text": true, "time": true, "unicode": true,
	"unique": true, "unsafe": true, "vendor": true, "weak": true,
}

// clone matches the names of variants of a C function that its compiler makes.
var clone = regexp.MustCompile(`^\w+(\.(constprop|isra|part|cold)(\.\d+)?)+$`)

// isStandard reports whether a function belongs to the Go standard library, or to no package, as assembly, C, and what
// the compiler generates for types.
func (p program) isStandard(f evidence.Frame) bool {
	if p.isOwn(f) {
		return false
	}
	first, _, _ := strings.Cut(packagePath(f.Function), "/")
	return standardPackages[first] || !strings.ContainsAny(f.Function, "./") ||
		hasAnyPrefix(f.Function, "type:", "type..", "go:") ||
		clone.MatchString(f.Function)
}

// mayBeOwn reports whether a function belongs to the program, as far as is known: if the module is unknown, all that is
// not of the standard library may.
func (p program) mayBeOwn(f evidence.Frame) bool {
	return p.isOwn(f) || p.Module == "" && !p.isStandard(f) && !isHook(f)
}

// isForeign reports whether a function belongs to another module, not to the standard library.
func (p program) isForeign(f evidence.Frame) bool { return p.isOutsideStandard(f) && !p.mayBeOwn(f) }

// isOutsideStandard reports whether a function belongs to the program or to another module.
func (p program) isOutsideStandard(f evidence.Frame) bool { return !p.isStandard(f) && !isHook(f) }

// repository returns the start of the path of a function's package that names its repository: host/owner/name for
// hosts with many owners, otherwise host/name.
func repository(f evidence.Frame) string {
	path := strings.Split(packagePath(f.Function), "/")
	most := 2
	if slices.Contains([]string{"github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "golang.org"}, path[0]) {
		most = 3
	}
	return strings.Join(path[:min(len(path), most)], "/")
}

// isOwn reports whether a function belongs to the program's module or to package main.
func (p program) isOwn(f evidence.Frame) bool {
	path := packagePath(f.Function)
	switch {
	case isHook(f):
		return false
	case path == "main" || p.Main != "" && path == p.Main:
		return true
	}
	return p.Module != "" && (path == p.Module || path == p.Module+"_test" || strings.HasPrefix(path, p.Module+"/"))
}

// isHook reports whether a function belongs to the code that collects the evidence, by its name. That code is part of
// package main, of a test package, or of a trial's package hook.
func isHook(f evidence.Frame) bool {
	return hasAnyPrefix(strings.TrimPrefix(f.Function, packagePath(f.Function)), ".brewput", ".(*brewput")
}

// ownFrame returns the innermost frame of a stack that is the program's own. If there is none, it returns the innermost
// frame outside the standard library; ok is false if there is none of those either.
func (p program) ownFrame(stack []evidence.Frame) (evidence.Frame, bool) {
	if i := slices.IndexFunc(stack, p.isOwn); i >= 0 {
		return p.statement(stack, i), true
	}
	i := slices.IndexFunc(stack, p.isOutsideStandard)
	if i < 0 {
		return evidence.Frame{}, false
	}
	return p.statement(stack, i), true
}

// libraryPart returns the frames of a stack before the first one of the program, and whether they are all.
func (p program) libraryPart(stack []evidence.Frame) (part []evidence.Frame, whole bool) {
	if i := slices.IndexFunc(stack, p.isOwn); i >= 0 {
		return stack[:i], false
	}
	return stack, true
}

// position returns the fileLine of a statement for a finding, and notes its function for Finding.Functions.
func (p program) position(f evidence.Frame) string {
	at := p.fileLine(f)
	p.functions[at] = p.functionName(f)
	return at
}

// fileLine returns the position of a statement: file:line, relative to the module.
func (p program) fileLine(f evidence.Frame) string {
	at := p.file(f) + ":" + strconv.Itoa(p.statement([]evidence.Frame{f}, 0).Line)
	if f.File == "" {
		at = f.Function
	}
	return at
}

// functionName returns the name of a function without its package if it is the program's own: "(*Kitchen).Make".
func (p program) functionName(f evidence.Frame) string {
	if path := packagePath(f.Function); p.isOwn(f) && len(path) < len(f.Function) {
		return f.Function[len(path)+1:]
	}
	return shortName(f.Function)
}

// file returns the file of a frame, relative to the module.
func (p program) file(f evidence.Frame) string {
	file := f.File
	if p.Dir != "" {
		if rel, err := filepath.Rel(p.Dir, f.File); err == nil && !strings.HasPrefix(rel, "..") {
			file = filepath.ToSlash(rel)
		}
	}
	if p.Module != "" { // The program was built with -trimpath.
		if rest, ok := strings.CutPrefix(file, p.Module+"/"); ok {
			file = rest
		}
	}
	if strings.HasPrefix(file, "/") && (p.Dir == "" || packagePath(f.Function) == "main") {
		file = filepath.Base(file)
	}

	return file
}

// positions returns the program's own positions in some stacks, each once, and then those of libraries for stacks
// without a frame of the program.
func (p program) positions(stacks ...[]evidence.Frame) []string {
	var own, others []string
	for _, s := range stacks {
		f, ok := p.ownFrame(s)
		if !ok {
			continue
		}
		switch at := p.position(f); {
		case slices.Contains(own, at) || slices.Contains(others, at):
		case p.mayBeOwn(f):
			own = append(own, at)
		default:
			others = append(others, at)
		}
	}
	return append(own, others...)
}

// sourceLine returns the source line at a position, or "" if it is not available.
func (p program) sourceLine(f evidence.Frame) string {
	if p.Source == nil {
		return ""
	}
	return strings.TrimSpace(p.Source(f.File, f.Line))
}

// shortName returns a function's name with the last element of its package path only.
func shortName(function string) string {
	path := packagePath(function)
	last := path[strings.LastIndexByte(path, '/')+1:]
	return last + strings.TrimPrefix(function, path)
}

// containsAny reports whether a function of a stack has one of the prefixes.
func containsAny(stack []evidence.Frame, prefixes ...string) bool {
	return slices.ContainsFunc(stack, func(f evidence.Frame) bool { return hasAnyPrefix(f.Function, prefixes...) })
}

// outermost returns the index of the outermost function of a stack with one of some prefixes, or -1.
func outermost(stack []evidence.Frame, prefixes ...string) int {
	i := len(stack) - 1
	for i >= 0 && !hasAnyPrefix(stack[i].Function, prefixes...) {
		i--
	}
	return i
}

// caller returns the program's own line that calls one of some functions of a library, given by prefixes. It is the
// outermost, since they may call each other.
func (p program) caller(stack []evidence.Frame, functions ...string) (evidence.Frame, bool) {
	i := outermost(stack[:max(0, len(stack)-1)], functions...)
	if i < 0 {
		return evidence.Frame{}, false
	}
	// Deferred calls have runtime.deferreturn above them, and a reader may be read by io.ReadFull.
	i++
	for i < len(stack)-1 && slices.Contains([]string{"runtime", "io"}, packagePath(stack[i].Function)) {
		i++
	}
	if !p.isOwn(stack[i]) {
		return evidence.Frame{}, false // a library calls it
	}
	return p.statement(stack, i), true
}

// below returns the frames below the outermost call of one of some functions.
func below(stack []evidence.Frame, functions ...string) []evidence.Frame {
	return stack[:max(0, outermost(stack, functions...))]
}

// acceptFunctions are functions of package net that accept connections.
var acceptFunctions = []string{"net.(*netFD).accept", "net.(*TCPListener).Accept", "net.(*TCPListener).accept",
	"net.(*UnixListener).Accept", "net.(*UnixListener).accept"}

// acceptsConnections reports whether a stack waits for connections.
func acceptsConnections(stack []evidence.Frame) bool { return containsAny(stack, acceptFunctions...) }

// hasAnyPrefix reports whether s has one of the prefixes.
func hasAnyPrefix(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}
