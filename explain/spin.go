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

var pollCall = regexp.MustCompile(`\.Load\(\)|atomic\.Load|CompareAndSwap|runtime\.Gosched\(|TryLock\(|time\.(Now|Since)\(`)

// atomics are the packages of what is one instruction.
var atomics = []string{"sync/atomic.", "internal/runtime/atomic."}

// spins reports whether a sample is of a loop that looks whether something has happened.
func (v *analysis) isPolling(w *weightedSample) bool {
	if len(w.stack) == 0 {
		return false
	}
	if containsAny(w.stack, "runtime.Gosched", "runtime.gosched_m", "runtime.goschedImpl", "runtime.selectnb",
		"sync.(*Mutex).TryLock") {
		return true
	}
	if containsAny(w.stack, "runtime.selectgo") {
		at, ok := v.prog.ownFrame(w.stack)
		return ok && v.hasDefault(at)
	}
	if leaf := w.stack[0].Function; hasAnyPrefix(leaf, atomics...) {
		// The runtime and package sync look at memory by the same functions when they start and wake goroutines.
		by := slices.IndexFunc(w.stack, func(f evidence.Frame) bool { return !hasAnyPrefix(f.Function, atomics...) })
		if by >= 0 && (v.prog.isOwn(w.stack[by]) || v.prog.Module == "" && !v.prog.isStandard(w.stack[by]) && !isHook(w.stack[by])) {
			return strings.Contains(leaf, "Load") || strings.Contains(leaf, "CompareAndSwap")
		}
	}
	if at, ok := v.prog.ownFrame(w.stack); ok && v.isPollLoop(at) {
		return true
	}
	if !v.prog.isOwn(w.stack[0]) {
		return false
	}
	line := v.prog.sourceLine(w.stack[0])
	return strings.HasPrefix(line, "for ") && pollCall.MatchString(line) || strings.Contains(line, "runtime.Gosched()")
}

// hasDefault reports whether the select at a place has a default, as far as the source is at hand.
func (v *analysis) hasDefault(at evidence.Frame) bool {
	if v.prog.Source == nil {
		return false
	}
	for n := at.Line + 1; n < at.Line+20; n++ {
		switch line := strings.TrimSpace(v.prog.Source(at.File, n)); {
		case strings.HasPrefix(line, "default:"):
			return true
		case strings.HasPrefix(line, "select"):
			return false
		}
	}
	return false
}

// busyWait finds loops that look again and again instead of waiting.
func busyWait(v *analysis) []Finding {
	if !v.hasSamples() {
		return nil
	}
	share := 0.0
	groups := v.cpu.groupBy(func(w *weightedSample) (evidence.Frame, bool) {
		if !v.isPolling(w) {
			return evidence.Frame{}, false
		}
		share += w.weight / v.cpu.total
		at, ok := v.prog.ownFrame(w.stack)
		return at, ok
	})
	yields, site := v.yields()
	if len(groups) == 0 && site == nil || share < spinShare {
		return nil
	}
	f := v.newFinding(BusyWait, "A loop looks again and again whether something has happened: %s of the CPU time.",
		percent(share))
	f.Share = share
	for _, g := range groups[:min(2, len(groups))] {
		f.Where = append(f.Where, v.prog.position(g.at))
		f.citef("%s", v.quote(g.at))
	}
	if site != nil && yields > yieldRate {
		for _, at := range v.prog.positions(site.Stack) {
			if !slices.Contains(f.Where, at) {
				f.Where = append(f.Where, at)
			}
		}
		f.citef("runtime.Gosched is called %.0f times a second", yields)
	}
	crowd := v.oversubscription()
	f.citef("%s of the CPU time is spent looking; more goroutines than CPUs want to run for %s of the time",
		percent(share), percent(crowd))
	if saved := share * crowd; saved >= minGain {
		f.Gain = newGain(0.9*saved, 0.4*saved, math.Max(saved, share))
	}
	f.Rival = "What it waits for comes so soon that parking would take longer."
	f.Fix = "Block: receive from a channel, wait for a condition or a WaitGroup; or sleep between looks."
	f.Experiment = "Put time.Sleep(100*time.Microsecond) into the loop: CPU time should fall and the time not rise."
	return []Finding{f}
}

// crowded is the fraction of the time in which more goroutines wanted a CPU than there are.
func (v *analysis) oversubscription() float64 {
	if v.trace == nil {
		return 0
	}
	s := 0.0
	for n := int(v.cpus) + 1; n < len(v.trace.Demand.For); n++ {
		s += v.demandShare(n)
	}
	return s
}

// yields is how often goroutines gave up their CPU by runtime.Gosched a second, and where most.
func (v *analysis) yields() (rate float64, site *evidence.Wait) {
	if v.trace == nil {
		return 0, nil
	}
	n := int64(0)
	for i := range v.trace.Waits {
		if w := &v.trace.Waits[i]; w.Op == evidence.OpYield {
			n += w.Count
			if site == nil || w.Count > site.Count {
				site = w
			}
		}
	}
	return float64(n) / v.trace.Duration.Seconds(), site
}

// sources are the program's files that loops were looked for in, parsed; nil where one is not at hand or not Go.
type sources struct {
	set   *token.FileSet
	files map[string]*ast.File
}

// longestFile is how many lines of a file are looked at.
const maxFileLines = 20000

// parsed is a file of the program.
func (v *analysis) parsedFile(file string) *ast.File {
	if v.prog.Source == nil || file == "" {
		return nil
	}
	if v.parsed.files == nil {
		v.parsed = sources{token.NewFileSet(), map[string]*ast.File{}}
	}
	if f, ok := v.parsed.files[file]; ok {
		return f
	}
	var text strings.Builder
	last := 0
	for n := 1; n < maxFileLines && n < last+200; n++ {
		line := v.prog.Source(file, n)
		if line != "" {
			last = n
		}
		text.WriteString(line + "\n")
	}
	f, err := parser.ParseFile(v.parsed.set, file, text.String(), parser.SkipObjectResolution)
	if err != nil {
		f = nil
	}
	v.parsed.files[file] = f
	return f
}

// onlyLooks reports whether the innermost loop around a place does nothing but look whether something has happened: it
// reads under a lock or atomically, compares, and ends.
func (v *analysis) isPollLoop(at evidence.Frame) bool {
	if known, ok := v.pollLoops[at]; ok {
		return known
	}
	if v.pollLoops == nil {
		v.pollLoops = map[evidence.Frame]bool{}
	}
	is := false
	if inner, ok := v.innermostLoop(at).(*ast.ForStmt); ok {
		is = inner.Init == nil && inner.Post == nil && onlyPolls(inner)
	}
	v.pollLoops[at] = is
	return is
}

func (v *analysis) covers(n ast.Node, line int) bool {
	return v.parsed.set.Position(n.Pos()).Line <= line && line <= v.parsed.set.Position(n.End()).Line
}

var pollCalls = regexp.MustCompile(`^(Lock|Unlock|RLock|RUnlock|TryLock|Load[A-Za-z0-9]*|CompareAndSwap[A-Za-z0-9]*|Gosched|Now|Since|Before|After|Err|len|cap)$`)

// looksAt reports whether a loop changes nothing but variables of its own, calls only what looks, and has an end.
func onlyPolls(loop *ast.ForStmt) bool {
	only, ends, looks := true, loop.Cond != nil, false
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name := calleeName(n)
			looks = looks || name != "len" && name != "cap"
			only = only && pollCalls.MatchString(name)
		case *ast.IncDecStmt, *ast.SendStmt, *ast.GoStmt, *ast.DeferStmt, *ast.RangeStmt, *ast.SelectStmt, *ast.FuncLit:
			only = false
		case *ast.AssignStmt:
			only = only && (n.Tok == token.DEFINE || n.Tok == token.ASSIGN) && allIdentifiers(n.Lhs)
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
