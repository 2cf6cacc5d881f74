package report

import (
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
)

func designAt(design string, p plan.Point, quiet []string) string {
	if text := pointText(p, quiet); text != "" {
		return design + " (" + text + ")"
	}
	return design
}

// points is a point as "cpus 2, buffer 10", without the factors named.
func pointText(p plan.Point, without []string) string {
	var parts []string
	for _, s := range p.Settings() {
		if !slices.Contains(without, s.Factor) {
			parts = append(parts, s.Factor+" "+s.Level.String())
		}
	}
	return strings.Join(parts, ", ")
}

// pointsOf are the texts of the verdicts' points, each once, in order of appearance.
func pointTexts(verdicts []compare.Verdict, quiet []string) []string {
	var texts []string
	for _, v := range verdicts {
		if at := pointText(v.Point, quiet); !slices.Contains(texts, at) {
			texts = append(texts, at)
		}
	}
	return texts
}

// saidOnce are the factors that need no mention in each verdict: those with one level in all of them,
// and workers where they are as many as the CPUs. The head of the page says them.
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
	var quiet []string
	for factor, l := range levels {
		if len(l) == 1 || factor == "workers" && follows {
			quiet = append(quiet, factor)
		}
	}
	return quiet
}
