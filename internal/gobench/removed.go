package gobench

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
)

// addRemoved adds the packages that only the base has with benchmarks. They are listed in the base, so that nobody
// misses them by mistake, and not measured. dir is the directory of the patterns. The result has the new targets last.
func (b *Bench) addRemoved(ctx context.Context, w *Workshop, r Repo, tree, dir string, targets []Target,
	note func(string)) ([]Target, error) {
	if !severalPackages(b.Patterns) {
		return targets, nil
	}
	all := slices.Clone(targets)
	for _, pattern := range b.Patterns {
		found, err := baseTargets(ctx, w, r, tree, dir, pattern)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			note("benchmarks that the base alone has are not listed: " + err.Error())
		}
		for _, t := range found {
			switch {
			case slices.ContainsFunc(all, func(known Target) bool { return known.Dir == t.Dir }):
			case exists(t.Dir) && goModOf(r.Root, t.Dir) != t.GoMod: // it was not removed
				note(fmt.Sprintf("not measured: %s belongs to another module than in the base; measure it alone",
					relative(r.Root, t.Dir)))
			default:
				all = append(all, t)
			}
		}
	}
	if len(all) == len(targets) {
		return targets, nil
	}
	b.Dir = dir
	b.nameAll(all)
	for i := len(targets); i < len(all); i++ {
		b.Packages[i].Without = []string{Head}
	}
	return all, nil
}

// baseTargets returns the packages with benchmarks that a pattern matches in the worktree of the base, at their places
// in the user's tree.
func baseTargets(ctx context.Context, w *Workshop, r Repo, tree, dir, pattern string) (list []Target, err error) {
	at := Target{}
	at.Dir, pattern = inside(dir, pattern)
	if err := at.locate(ctx); err != nil {
		return nil, err
	}
	if !within(r.Root, at.Dir) || !exists(worktreePath(r.Root, tree, at.Dir)) {
		return nil, nil
	}
	c, err := at.Base(ctx, w, r, tree)
	if err != nil {
		return nil, err
	}
	found, err := withBenchmarks(ctx, c, pattern)
	if err != nil {
		return nil, err
	}
	for _, p := range found {
		if !within(tree, p.Dir) {
			continue
		}
		t := Target{ImportPath: p.ImportPath, Module: p.Module.Path, Dir: worktreePath(tree, r.Root, p.Dir),
			GoWork: at.GoWork}
		if p.Module.Dir != "" {
			t.GoMod = worktreePath(tree, r.Root, filepath.Join(p.Module.Dir, "go.mod"))
		}
		list = append(list, t)
	}
	return list, nil
}
