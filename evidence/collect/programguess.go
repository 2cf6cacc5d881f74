package collect

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/internal/gopprof"
	"github.com/brewput/brewput/internal/input"
)

// guess finds out of which program profiles are, by the files that their stacks name and the binary that they say.
type programGuess struct {
	paths []string          // files of evidence
	main  []map[string]bool // directories of package main that each names
	bin   []gopprof.Binary  // that each is said to be of; a trace says none
	count map[string]int    // directories of source, by how many frames are there
}

func (g *programGuess) add(path string, bin gopprof.Binary) {
	g.paths, g.main, g.bin = append(g.paths, path), append(g.main, map[string]bool{}), append(g.bin, bin)
	if g.count == nil {
		g.count = map[string]int{}
	}
}

func (g *programGuess) frame(f evidence.Frame) {
	if strings.HasPrefix(f.Function, "main.") && f.File != "_testmain.go" {
		g.main[len(g.main)-1][filepath.Dir(f.File)] = true // of whose files some may be in one profile only
	}
	if filepath.IsAbs(f.File) && !strings.Contains(f.File, "/pkg/mod/") && !standard(f) {
		g.count[filepath.Dir(f.File)]++
	}
}

// standard reports whether a function is of the standard library, whose files lie in src by the paths of their
// packages.
func standard(f evidence.Frame) bool {
	slash := strings.LastIndexByte(f.Function, '/')
	pkg, _, _ := strings.Cut(f.Function[slash+1:], ".")
	return strings.HasSuffix(filepath.Dir(f.File), "/src/"+f.Function[:slash+1]+pkg)
}

func (g *programGuess) profile(path string, p *evidence.Profile, bin gopprof.Binary) {
	g.add(path, bin)
	for _, s := range p.Samples {
		for _, f := range s.Stack {
			g.frame(f)
		}
	}
}

func (g *programGuess) trace(path string, t *evidence.Trace) {
	g.add(path, gopprof.Binary{})
	stack := func(frames []evidence.Frame) {
		for _, f := range frames {
			g.frame(f)
		}
	}

	for _, c := range t.Classes {
		g.frame(c.Start)
		stack(c.Created)
	}

	for _, w := range t.Waits {
		stack(w.Stack)
	}

	for _, c := range t.Syscalls {
		stack(c.Stack)
	}
}

// conflict refuses evidence of several programs: that of one says nothing about another.
func (g *programGuess) conflict() error {
	for i, a := range g.main {
		for j, b := range g.main[:i] {
			if overlap(a, b) { // two builds of one program, whatever they are called; see renamed
				continue
			}
			if len(a) > 0 && len(b) > 0 {
				return fmt.Errorf("%s and %s are of different programs: package main of the one is in %s, of the "+
					"other in %s; give the files of one", g.paths[j], g.paths[i], firstDir(b), firstDir(a))
			}
			if a, b := g.bin[i], g.bin[j]; differentBinaries(a, b) {
				return fmt.Errorf("%s and %s are of different programs: the one is of %s, the other of %s; "+
					"give the files of one", g.paths[j], g.paths[i], b.File, a.File)
			}
		}
	}

	return nil
}

// renamed says where binaries have different names though their package main lies in one place: what was built in two
// containers may lie there too.
func (g *programGuess) renamed() string {
	for i, a := range g.main {
		for j, b := range g.main[:i] {
			if overlap(a, b) && differentBinaries(g.bin[i], g.bin[j]) {
				return fmt.Sprintf("%s and %s are taken to be of one program, whose package main is in %s, though "+
					"the one is of %s, the other of %s", g.paths[j], g.paths[i], firstDir(b), g.bin[j].File, g.bin[i].File)
			}
		}
	}
	return ""
}

// differ reports whether binaries are of different programs: neither two builds of one, which have one name, nor copies
// of one build.
func differentBinaries(a, b gopprof.Binary) bool {
	copies := a.BuildID != "" && a.BuildID == b.BuildID
	name := func(file string) string { return file[strings.LastIndexAny(file, "/\\")+1:] } // on whatever system it ran
	return a.File != "" && b.File != "" && name(a.File) != name(b.File) && !copies
}

func overlap(a, b map[string]bool) bool {
	for f := range a {
		if b[f] {
			return true
		}
	}
	return false
}

// any1 is the first of some directories.
func firstDir(dirs map[string]bool) string {
	first := ""
	for f := range dirs {
		if first == "" || f < first {
			first = f
		}
	}
	return first
}

// program is what the files tell: the module that most of the stacks are in.
func (g *programGuess) program() evidence.Program {
	p := evidence.Program{Source: sourceReader()}
	best := ""
	var dirs []string
	for d := range g.count {
		dirs = append(dirs, d)
	}

	slices.Sort(dirs)
	for _, d := range dirs {
		if g.count[d] > g.count[best] || best == "" {
			best = d
		}
	}

	for _, m := range g.main {
		if d := firstDir(m); d != "" {
			best, p.Main = d, "main"
			break
		}
	}
	if best == "" || !filepath.IsAbs(best) {
		return p
	}

	p.Dir = best
	for d := best; ; d = filepath.Dir(d) {
		if name, ok := moduleOf(filepath.Join(d, "go.mod")); ok {
			p.Dir, p.Module = d, name
			return p
		}
		if d == filepath.Dir(d) {
			return p
		}
	}
}

// moduleOf reads the module's path of a go.mod.
func moduleOf(path string) (string, bool) {
	text, err := input.ReadFile(context.Background(), path, input.Settings)
	if err != nil {
		return "", false
	}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
			return strings.Trim(strings.TrimSpace(name), `"`), true
		}
	}
	return "", false
}
