package explain

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence"
)

// Thresholds of loops that only look.
const (
	spinShare = 0.1    // of the goroutines' CPU time in them
	yieldRate = 2000.0 // calls of runtime.Gosched a second
)

var looking = regexp.MustCompile(`\.Load\(\)|atomic\.Load|CompareAndSwap|runtime\.Gosched\(|TryLock\(|time\.(Now|Since)\(`)

// atomics are the packages of what is one instruction.
var atomics = []string{"sync/atomic.", "internal/runtime/atomic."}

// spins reports whether a sample is of a loop that looks whether something has happened.
func (v *view) spins(w *weighed) bool {
	if len(w.stack) == 0 {
		return false
	}
	if has(w.stack, "runtime.Gosched", "runtime.gosched_m", "runtime.goschedImpl", "runtime.selectnb",
		"sync.(*Mutex).TryLock") {
		return true
	}
	if has(w.stack, "runtime.selectgo") {
		at, ok := v.p.ours(w.stack)
		return ok && v.hasDefault(at)
	}
	if leaf := w.stack[0].Function; startsWith(leaf, atomics...) {
		// The runtime and package sync look at memory by the same functions when they start and wake goroutines.
		by := slices.IndexFunc(w.stack, func(f evidence.Frame) bool { return !startsWith(f.Function, atomics...) })
		if by >= 0 && (v.p.own(w.stack[by]) || v.p.Module == "" && !v.p.standard(w.stack[by]) && !hooked(w.stack[by])) {
			return strings.Contains(leaf, "Load") || strings.Contains(leaf, "CompareAndSwap")
		}
	}
	if at, ok := v.p.ours(w.stack); ok && v.onlyLooks(at) {
		return true
	}
	if !v.p.own(w.stack[0]) {
		return false
	}
	line := v.p.line(w.stack[0])
	return strings.HasPrefix(line, "for ") && looking.MatchString(line) || strings.Contains(line, "runtime.Gosched()")
}

// hasDefault reports whether the select at a place has a default, as far as the source is at hand.
func (v *view) hasDefault(at evidence.Frame) bool {
	if v.p.Source == nil {
		return false
	}
	for n := at.Line + 1; n < at.Line+20; n++ {
		switch line := strings.TrimSpace(v.p.Source(at.File, n)); {
		case strings.HasPrefix(line, "default:"):
			return true
		case strings.HasPrefix(line, "select"):
			return false
		}
	}
	return false
}

// busyWait finds loops that look again and again instead of waiting.
func busyWait(v *view) []Finding {
	if !v.sampled() {
		return nil
	}
	share := 0.0
	groups := v.cpu.groups(func(w *weighed) (evidence.Frame, bool) {
		if !v.spins(w) {
			return evidence.Frame{}, false
		}
		share += w.weight / v.cpu.total
		at, ok := v.p.ours(w.stack)
		return at, ok
	})
	yields, site := v.yields()
	if len(groups) == 0 && site == nil || share < spinShare {
		return nil
	}
	f := v.finding(BusyWait, "A loop looks again and again whether something has happened: %s of the CPU time.",
		percent(share))
	f.Share = share
	for _, g := range groups[:min(2, len(groups))] {
		f.Where = append(f.Where, v.p.at(g.at))
		f.says("%s", v.quoted(g.at))
	}
	if site != nil && yields > yieldRate {
		for _, at := range v.p.places(site.Stack) {
			if !slices.Contains(f.Where, at) {
				f.Where = append(f.Where, at)
			}
		}
		f.says("runtime.Gosched is called %.0f times a second", yields)
	}
	crowd := v.crowded()
	f.says("%s of the CPU time is spent looking; more goroutines than CPUs want to run for %s of the time",
		percent(share), percent(crowd))
	if saved := share * crowd; saved >= minGain {
		f.Gain = gain(0.9*saved, 0.4*saved, math.Max(saved, share))
	}
	f.Rival = "What it waits for comes so soon that parking would take longer."
	f.Fix = "Block: receive from a channel, wait for a condition or a WaitGroup; or sleep between looks."
	f.Experiment = "Put time.Sleep(100*time.Microsecond) into the loop: CPU time should fall and the time not rise."
	return []Finding{f}
}

// crowded is the fraction of the time in which more goroutines wanted a CPU than there are.
func (v *view) crowded() float64 {
	if v.t == nil {
		return 0
	}
	s := 0.0
	for n := int(v.cpus) + 1; n < len(v.t.Demand.For); n++ {
		s += v.wanting(n)
	}
	return s
}

// yields is how often goroutines gave up their CPU by runtime.Gosched a second, and where most.
func (v *view) yields() (rate float64, site *evidence.Wait) {
	if v.t == nil {
		return 0, nil
	}
	n := int64(0)
	for i := range v.t.Waits {
		if w := &v.t.Waits[i]; w.Op == evidence.OpYield {
			n += w.Count
			if site == nil || w.Count > site.Count {
				site = w
			}
		}
	}
	return float64(n) / v.t.Duration.Seconds(), site
}

// sources are the program's files that loops were looked for in, parsed; nil where one is not at hand or not Go.
type sources struct {
	set   *token.FileSet
	files map[string]*ast.File
}

// longestFile is how many lines of a file are looked at.
const longestFile = 20000

// parsed is a file of the program.
func (v *view) parsed(file string) *ast.File {
	if v.p.Source == nil || file == "" {
		return nil
	}
	if v.code.files == nil {
		v.code = sources{token.NewFileSet(), map[string]*ast.File{}}
	}
	if f, ok := v.code.files[file]; ok {
		return f
	}
	var text strings.Builder
	last := 0
	for n := 1; n < longestFile && n < last+200; n++ {
		line := v.p.Source(file, n)
		if line != "" {
			last = n
		}
		text.WriteString(line + "\n")
	}
	f, err := parser.ParseFile(v.code.set, file, text.String(), parser.SkipObjectResolution)
	if err != nil {
		f = nil
	}
	v.code.files[file] = f
	return f
}

// onlyLooks reports whether the innermost loop around a place does nothing but look whether something has happened: it
// reads under a lock or atomically, compares, and ends.
func (v *view) onlyLooks(at evidence.Frame) bool {
	if known, ok := v.looked[at]; ok {
		return known
	}
	if v.looked == nil {
		v.looked = map[evidence.Frame]bool{}
	}
	is := false
	if inner, ok := v.loop(at).(*ast.ForStmt); ok {
		is = inner.Init == nil && inner.Post == nil && looksAt(inner)
	}
	v.looked[at] = is
	return is
}

func (v *view) covers(n ast.Node, line int) bool {
	return v.code.set.Position(n.Pos()).Line <= line && line <= v.code.set.Position(n.End()).Line
}

var lookingCalls = regexp.MustCompile(`^(Lock|Unlock|RLock|RUnlock|TryLock|Load[A-Za-z0-9]*|CompareAndSwap[A-Za-z0-9]*|Gosched|Now|Since|Before|After|Err|len|cap)$`)

// looksAt reports whether a loop changes nothing but variables of its own, calls only what looks, and has an end.
func looksAt(loop *ast.ForStmt) bool {
	only, ends, looks := true, loop.Cond != nil, false
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name := called(n)
			looks = looks || name != "len" && name != "cap"
			only = only && lookingCalls.MatchString(name)
		case *ast.IncDecStmt, *ast.SendStmt, *ast.GoStmt, *ast.DeferStmt, *ast.RangeStmt, *ast.SelectStmt, *ast.FuncLit:
			only = false
		case *ast.AssignStmt:
			only = only && (n.Tok == token.DEFINE || n.Tok == token.ASSIGN) && plain(n.Lhs)
		case *ast.ReturnStmt:
			ends = true
			for _, r := range n.Results {
				_, call := r.(*ast.CallExpr)
				only = only && !call
			}
		case *ast.BranchStmt:
			ends = ends || n.Tok == token.BREAK
		case *ast.UnaryExpr:
			only = only && n.Op != token.ARROW
		}
		return only
	})
	return only && ends && looks
}
