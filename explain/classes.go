package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/evidence"
)

// classes returns the program's own classes that had goroutines.
func (a *analysis) classes() []*evidence.Class {
	var out []*evidence.Class
	if a.trace == nil {
		return nil
	}

	for i := range a.trace.Classes {
		if c := &a.trace.Classes[i]; c.Count > 0 && !isHook(c.Start) && (c.Running > 0 || c.Runnable > 0 ||
			len(c.Waiting) > 0) && c.Start.Function != "" {
			out = append(out, c)
		}
	}

	return out
}

// totalRunning returns the CPU time of all classes in the trace.
func (a *analysis) totalRunning() time.Duration {
	total := time.Duration(0)
	for _, c := range a.classes() {
		total += c.Running
	}
	return total
}

// isMain reports whether a class is the main goroutine.
func isMain(c *evidence.Class) bool { return c.Start.Function == "main.main" }

// className returns the words for a class in a sentence.
func (a *analysis) className(c *evidence.Class) string {
	if isMain(c) {
		return "the main goroutine"
	}
	name := shortName(c.Start.Function)
	if c.Count == 1 {
		return "the goroutine of " + name
	}
	return fmt.Sprintf("the %d goroutines of %s", c.Count, name)
}

// verb returns the form of a verb that agrees with the name of a class.
func verb(c *evidence.Class, one, many string) string {
	if c.Count > 1 {
		return many
	}
	return one
}

// hottestLines returns up to most of the program's own lines in or below which the goroutines of a class spend most CPU
// time. A nil class stands for all.
func (a *analysis) hottestLines(c *evidence.Class, most int) []group {
	if a.cpu == nil {
		return nil
	}
	groups := a.cpu.groupBy(func(w *weightedSample) (evidence.Frame, bool) {
		if c != nil && w.root != c.Start.Function || w.root == "" {
			return evidence.Frame{}, false
		}
		return a.prog.ownFrame(w.stack)
	})
	return groups[:min(most, len(groups))]
}

// entryPoint returns the deepest position of the program in or below which a class spends most of its CPU time.
func (a *analysis) entryPoint(c *evidence.Class) (group, bool) {
	if a.cpu == nil {
		return group{}, false
	}

	total := 0.0
	below := map[evidence.Frame]*group{}
	depth := map[evidence.Frame]int{}
	for _, w := range a.cpu.list {
		if w.root != c.Start.Function {
			continue
		}
		total += w.weight
		seen := map[evidence.Frame]bool{}
		for i, f := range w.stack {
			if !a.prog.isOwn(f) || seen[f] {
				continue
			}
			seen[f] = true
			if below[f] == nil {
				below[f] = &group{at: f}
			}
			g := below[f]
			g.share += w.weight
			if w.weight > g.most {
				g.most, g.sample = w.weight, w.stack
			}
			depth[f] = max(depth[f], len(w.stack)-i)
		}
	}

	var best *group
	for f, g := range below {
		if g.share < entryShare*total {
			continue
		}
		if best == nil || depth[f] > depth[best.at] || depth[f] == depth[best.at] &&
			a.prog.position(f) < a.prog.position(best.at) {
			best = g
		}
	}
	if best == nil {
		return group{}, false
	}

	return *best, true
}

// entryShare is the fraction of a class's CPU time that counts as most of it.
const entryShare = 0.6

// callee returns the library function that a position calls in a stack, or "".
func (a *analysis) callee(at evidence.Frame, stack []evidence.Frame) string {
	i := slices.Index(stack, at)
	if i <= 0 || a.prog.isOwn(stack[i-1]) || strings.HasPrefix(stack[i-1].Function, "runtime.") {
		return ""
	}
	return shortName(stack[i-1].Function)
}

// isIn reports whether a class is among some, which are indices of Trace.Classes. A negative index, of an unknown
// class, matches none.
func (a *analysis) isIn(c *evidence.Class, classes ...int) bool {
	return slices.ContainsFunc(classes, func(k int) bool { return k >= 0 && &a.trace.Classes[k] == c })
}

// walk calls a function with a class, then with the classes that it returned, and so on, with each class once.
func walk(c *evidence.Class, next func(level []*evidence.Class) []*evidence.Class) {
	seen := map[*evidence.Class]bool{c: true}
	for level := []*evidence.Class{c}; len(level) > 0; {
		var more []*evidence.Class
		for _, o := range next(level) {
			if !seen[o] {
				seen[o] = true
				more = append(more, o)
			}
		}
		level = more
	}
}

// starters returns the classes whose goroutines may have started those of a class, if the program did not do so.
func (a *analysis) starters(c *evidence.Class) (list []*evidence.Class) {
	library, whole := a.prog.libraryPart(c.Created)
	if !whole || len(library) == 0 {
		return nil
	}
	by := evidence.StartFrame(library).Function
	for i := range a.trace.Classes {
		if o := &a.trace.Classes[i]; o.Start.Function == by {
			list = append(list, o)
		}
	}
	return list
}
