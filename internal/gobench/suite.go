package gobench

import "github.com/brewput/brewput/result"

// Suite describes the benchmarks of the experiment for people and programs.
func (x *Experiment) Suite() *result.Suite {
	s := &result.Suite{Title: x.Title(), Package: x.Package, Revisions: x.Revs(), Layouts: max(1, x.Layouts),
		Broken: x.Broken, Skipped: x.Skipped, NotJudged: x.NotCompared(), NoCounters: x.Unprobed}
	if x.ByFirst && !s.HasBase() {
		s.First = x.FirstLevels()
	}
	for _, p := range x.Packages {
		if s.Packages == nil {
			s.Packages = map[string]string{}
		}
		s.Packages[p.Name] = p.ImportPath
	}
	return s
}
