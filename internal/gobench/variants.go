package gobench

import (
	"slices"
	"strings"

	"github.com/brewput/brewput/plan"
)

// variant returns the build for a benchmark at a point in a block, and the benchmark's own name.
func (x *Experiment) variant(benchmark string, p plan.Point, block int) (v Variant, name string) {
	v = Variant{Rev: revOf(p), Go: levelText(p, FactorGo, ""), PGO: levelText(p, FactorPGO, "")}
	if x.Layouts > 1 {
		v.Layout = block%x.Layouts + 1
	}
	if i := slices.IndexFunc(x.Benchmarks, func(b Benchmark) bool { return b.Name == benchmark }); i >= 0 {
		v.Package = x.Benchmarks[i].Package
		benchmark = strings.TrimPrefix(benchmark, Package{Name: v.Package}.qualified(""))
	}
	return v, benchmark
}

// variants returns all builds of the experiment, the base first.
func (x *Experiment) variants() []Variant {
	var list []Variant
	for _, rev := range x.Revs() {
		for _, p := range x.packages() {
			if !slices.Contains(p.Without, rev) {
				list = append(list, x.variantsOf(Variant{Rev: rev, Package: p.Name})...)
			}
		}
	}
	return list
}

// variantsOf returns all builds of a package in a revision.
func (x *Experiment) variantsOf(v Variant) []Variant {
	var list []Variant
	or := func(levels []string) []string {
		if len(levels) == 0 {
			return []string{""}
		}
		return levels
	}
	for _, v.Go = range or(x.Go) {
		for _, v.PGO = range or(x.PGO) {
			for layout := range max(1, x.Layouts) {
				v.Layout = 0
				if x.Layouts > 1 {
					v.Layout = layout + 1
				}
				list = append(list, v)
			}
		}
	}
	return list
}
