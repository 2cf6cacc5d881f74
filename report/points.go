package report

import (
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
)

// designAt names a design with its point.
func designAt(design string, p plan.Point, shared []string) string {
	if text := pointText(p, shared); text != "" {
		return design + " (" + text + ")"
	}
	return design
}

// pointText prints a point as "cpus 2, buffer 10", without the factors in without.
func pointText(p plan.Point, without []string) string {
	var parts []string
	for _, s := range p.Settings() {
		if !slices.Contains(without, s.Factor) {
			parts = append(parts, s.Factor+" "+s.Level.String())
		}
	}
	return strings.Join(parts, ", ")
}

// pointTexts returns the distinct texts of the verdicts' points in order of appearance.
func pointTexts(verdicts []compare.Verdict, shared []string) []string {
	var texts []string
	for _, v := range verdicts {
		if at := pointText(v.Point, shared); !slices.Contains(texts, at) {
			texts = append(texts, at)
		}
	}
	return texts
}

// sharedFactors returns the factors that verdicts need not mention: those with one level in all verdicts, and workers
// if they equal the CPUs. The head of the page has them.
func sharedFactors(verdicts []compare.Verdict) []string {
	levels := map[string][]string{}
	follows := true
	for _, v := range verdicts {
		for _, p := range []plan.Point{v.Point, v.OnlyA, v.OnlyB} {
			for _, s := range p.Settings() {
				if l := s.Level.String(); !slices.Contains(levels[s.Factor], l) {
					levels[s.Factor] = append(levels[s.Factor], l)
				}
			}
		}
		cpus, _ := v.Point.Get("cpus")
		if workers, ok := v.Point.Get("workers"); ok && workers != cpus {
			follows = false
		}
	}
	var shared []string
	for factor, l := range levels {
		if len(l) == 1 || factor == "workers" && follows {
			shared = append(shared, factor)
		}
	}
	return shared
}
