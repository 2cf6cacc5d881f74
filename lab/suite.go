package lab

import (
	"slices"
	"strings"

	"github.com/brewput/brewput/internal/gobench"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// BrokenError is the error of benchmarks that fail, so that there is nothing to measure or to judge. It is not a
// [Refusal], because the same options work once the benchmarks do.
type BrokenError struct {
	Suite *result.Suite // with the broken benchmarks
	text  plan.Template
}

// Error says what cannot be measured, and lists the broken benchmarks with their output.
func (e *BrokenError) Error() string { return e.Text(func(field string) string { return field }) }

// Text is the message in the caller's notation, as that of [plan.Refusal.Text].
func (e *BrokenError) Text(name func(field string) string) string {
	return e.text.Text(name) + ":\n" + e.Suite.BrokenText(true)
}

// none returns the error of an experiment without benchmarks that can be measured.
func none(x *gobench.Experiment) error {
	s := x.Suite()
	switch {
	case len(s.Broken) > 0:
		return &BrokenError{s, plan.Template{Format: "no benchmark of %s can be measured", Args: []any{x.Package}}}
	case len(s.Skipped) > 0:
		return refuse("", nil, "the benchmarks of %s that match {bench} %s skip themselves: %s",
			x.Package, x.Pattern, s.SkippedText())
	}
	return refuse("", nil, "no benchmark of %s matches {bench} %s", x.Package, x.Pattern).
		Suggest("list them with go test -list Benchmark")
}

// noneOfBoth returns the error of an experiment that has no benchmark in common with the base. If the head breaks one,
// it lists the broken ones with their output.
func noneOfBoth(x *gobench.Experiment) error {
	s := x.Suite()
	if slices.ContainsFunc(s.Broken, func(b result.Broken) bool { return b.Rev == gobench.Head }) {
		why := "no benchmark that matches {bench} %s can be measured in both revisions"
		return &BrokenError{s, plan.Template{Format: why, Args: []any{x.Pattern}}}
	}
	var why []string
	for _, n := range s.NotJudged {
		why = append(why, n.String())
	}
	return refuse("", nil, "no benchmark that matches {bench} %s is in both revisions", x.Pattern).
		Suggest("the base is %s:\n%s", x.BaseRev, strings.Join(why, "\n"))
}
