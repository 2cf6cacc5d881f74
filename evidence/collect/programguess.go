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

// programGuess finds the program of some profiles, by the files that their stacks name and the binary that they name.
type programGuess struct {
	paths []string          // names for errors, in the order of Collected.Files
	main  []map[string]bool // for each file, the directories of package main in its stacks
	bin   []gopprof.Binary  // for each file, its binary; empty for a trace
	count map[string]int    // number of frames for each source directory
}

// add starts a new file of evidence.
func (g *programGuess) add(path string, bin gopprof.Binary) {
	g.paths, g.main, g.bin = append(g.paths, path), append(g.main, map[string]bool{}), append(g.bin, bin)
	if g.count == nil {
		g.count = map[string]int{}
	}
}

// frame counts a frame of the current file.
func (g *programGuess) frame(f evidence.Frame) {
	if strings.HasPrefix(f.Function, "main.") && f.File != "_testmain.go" {
		// The files of a package may differ between profiles, but not its directory.
		g.main[len(g.main)-1][filepath.Dir(f.File)] = true
	}
	if filepath.IsAbs(f.File) && !strings.Contains(f.File, "/pkg/mod/") && !standard(f) {
		g.count[filepath.Dir(f.File)]++
	}
}

// standard reports whether a function belongs to the standard library, whose directories are src and the import path.
func standard(f evidence.Frame) bool {
	slash := strings.LastIndexByte(f.Function, '/')
	pkg, _, _ := strings.Cut(f.Function[slash+1:], ".")
	return strings.HasSuffix(filepath.Dir(f.File), "/src/"+f.Function[:slash+1]+pkg)
}

// profile adds the frames of a profile.
func (g *programGuess) profile(path string, p *evidence.Profile, bin gopprof.Binary) {
	g.add(path, bin)
	for _, s := range p.Samples {
		for _, f := range s.Stack {
			g.frame(f)
		}
	}
}

// trace adds the frames of a trace.
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

// conflict returns an error if the files are about several programs.
func (g *programGuess) conflict() error {
	for i, a := range g.main {
		for j, b := range g.main[:i] {
			if overlap(a, b) { // two builds of one program, whatever their names; see renamed
				continue
			}
			if len(a) > 0 && len(b) > 0 {
				return fmt.Errorf("%s and %s are from different programs: package main is in %s and "+
					"in %s; give the files of one", g.paths[j], g.paths[i], firstDir(b), firstDir(a))
			}
			if a, b := g.bin[i], g.bin[j]; differentBinaries(a, b) {
				return fmt.Errorf("%s and %s are from different programs, %s and %s; "+
					"give the files of one", g.paths[j], g.paths[i], b.File, a.File)
			}
		}
	}

	return nil
}

// renamed returns a note if binaries have different names although their package main is in the same directory, or "".
// Programs built in two containers may share such a path by chance.
func (g *programGuess) renamed() string {
	for i, a := range g.main {
		for j, b := range g.main[:i] {
			if overlap(a, b) && differentBinaries(g.bin[i], g.bin[j]) {
				return fmt.Sprintf("%s and %s are treated as one program, whose package main is in %s, although "+
					"they are from %s and %s", g.paths[j], g.paths[i], firstDir(b), g.bin[j].File,
					g.bin[i].File)
			}
		}
	}
	return ""
}

// differentBinaries reports whether two binaries belong to different programs. Builds of one program have the same
// name, and copies of one build have the same build ID.
func differentBinaries(a, b gopprof.Binary) bool {
	copies := a.BuildID != "" && a.BuildID == b.BuildID
	// The path may be of any operating system.
	name := func(file string) string { return file[strings.LastIndexAny(file, "/\\")+1:] }
	return a.File != "" && b.File != "" && name(a.File) != name(b.File) && !copies
}

// overlap reports whether two sets have a common element.
func overlap(a, b map[string]bool) bool {
	for f := range a {
		if b[f] {
			return true
		}
	}
	return false
}

// firstDir returns the first of some directories in sorted order, or "".
func firstDir(dirs map[string]bool) string {
	first := ""
	for f := range dirs {
		if first == "" || f < first {
			first = f
		}
	}
	return first
}

// program returns what the files tell about the program. Its module is that of package main, or else of the directory
// with most frames.
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

// moduleOf reads the module path of a go.mod file.
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
