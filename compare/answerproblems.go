package compare

import (
	"fmt"
	"slices"

	"github.com/brewput/brewput/result"
)

// instrumentedFailed is what is known of a design that failed only in instrumented trials.
const instrumentedFailed = "failed or was wrong"

// problems names the designs whose trials failed or were wrong, and those that cannot serve the load.
func (g *answerGroup) problems() []string {
	type failure struct {
		design, what string
		n            int
	}
	var list []*failure
	add := func(design, what string, n int) {
		i := slices.IndexFunc(list, func(f *failure) bool { return f.design == design && f.what == what })
		if i < 0 {
			i, list = len(list), append(list, &failure{design: design, what: what})
		}
		list[i].n += n
	}
	trials := map[string]int{} // of each design, at all points, without those in which the machine was late
	for _, r := range g.rows {
		plain := 0
		for _, n := range r.Statuses {
			trials[r.Design] += n
		}
		trials[r.Design] -= r.Late
		for _, s := range []struct {
			status result.Status
			text   string
		}{{result.Wrong, "gave wrong answers"}, {result.Violated, "violated mutual exclusion"},
			{result.Failed, "failed"}} {
			n := r.Statuses[s.status]
			if s.status == result.Failed {
				n -= r.Late // the machine was late, not the design
			}
			if plain += n; n > 0 {
				add(r.Design, s.text, n)
			}
		}
		if n := r.failures(); plain == 0 && n > 0 {
			add(r.Design, instrumentedFailed, n)
		}
	}
	var text []string
	for i, f := range list {
		if i == maxNamed {
			text = append(text, fmt.Sprintf("%d more had failed or wrong trials.", len(list)-i))
			break
		}
		in := fmt.Sprintf("%d of %s", f.n, result.Count(trials[f.design], "trial"))
		if f.what == instrumentedFailed {
			in = result.Count(f.n, "instrumented trial")
		}
		text = append(text, f.design+" "+f.what+" in "+in+".")
	}
	return append(text, g.overloads()...)
}

// overloads names the designs that cannot serve the load, and at which loads if they can serve others.
func (g *answerGroup) overloads() []string {
	var points []string
	designs := map[string][]string{} // by point
	for _, r := range g.rows {
		if !r.Overloaded() || r.Bound {
			continue
		}
		at := g.overloadedAt(r.Design)
		if designs[at] == nil {
			points = append(points, at)
		}
		if !slices.Contains(designs[at], r.Design) {
			designs[at] = append(designs[at], r.Design)
		}
	}
	var text []string
	for _, at := range points {
		full := designs[at]
		if len(full) > maxNamed {
			full = append(full[:maxNamed-1], fmt.Sprintf("%d more designs", len(full)-maxNamed+1))
		}
		text = append(text, JoinNames(full)+" cannot serve the whole load"+at+".")
	}
	return text
}

// overloadedAt names the points at which a design is overloaded, by their loads if these tell them from the others. It
// is "" if the design is overloaded at all points.
func (g *answerGroup) overloadedAt(design string) string {
	all, full := 0, 0
	var overloaded, served []string
	for _, r := range g.rows {
		if r.Design != design || r.N == 0 && r.Unstable == 0 { // no trial says what it serves
			continue
		}
		list := &served
		if all++; r.Overloaded() {
			full++
			list = &overloaded
		}
		for _, s := range r.Point.Only([]string{"load", "rate"}).Settings() {
			if text := s.Factor + " " + s.Level.String(); !slices.Contains(*list, text) {
				*list = append(*list, text)
			}
		}
	}
	separate := !slices.ContainsFunc(overloaded, func(at string) bool { return slices.Contains(served, at) })
	switch {
	case full == all:
		return ""
	case separate && len(overloaded) > 0 && len(overloaded) < maxNamed:
		return " at " + JoinNames(overloaded)
	}
	return fmt.Sprintf(" at %d of %d points", full, all)
}
