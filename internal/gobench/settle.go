package gobench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// settle finds the packages, the repository and the checkouts of the revisions.
func (b *Bench) settle(ctx context.Context, w *Workshop, note func(string)) error {
	dir := b.Dir
	targets, err := b.targets(ctx)
	if err != nil {
		return err
	}
	b.checkOutHead(targets)

	repo, err := FindRepo(ctx, targets[0].Dir)
	switch {
	case err != nil && b.BaseRev == "":
		return ctx.Err() // a package outside a repository is allowed
	case err != nil:
		return err
	}
	if b.Commit, err = repo.Commit(ctx, "HEAD"); err != nil && b.BaseRev != "" {
		return err
	}
	b.Modified, b.Untracked, err = repo.Modified(ctx)
	if b.BaseRev == "" {
		return ctx.Err()
	}
	if err != nil {
		return err
	}
	rev := b.BaseRev
	if b.BaseCommit != "" { // the run continues
		rev = b.BaseCommit
	}
	if b.BaseCommit, err = repo.Commit(ctx, rev); err != nil {
		return err
	}
	note("making a worktree of " + b.BaseRev)
	tree, err := w.Checkout(ctx, repo, b.BaseCommit)
	if err != nil {
		return err
	}
	if targets, err = b.addRemoved(ctx, w, repo, tree, dir, targets, note); err != nil {
		return err
	}
	b.checkOutHead(targets)
	return b.checkOutBase(ctx, w, repo, tree, targets)
}

// checkOutHead takes the packages from the user's tree.
func (b *Bench) checkOutHead(targets []Target) {
	b.checkouts = map[string]Checkout{}
	for i, p := range b.packages() {
		b.checkouts[p.in(Head)] = targets[i].Head()
	}
}

// checkOutBase finds the packages in the worktree of the base, which may lack some of several.
func (b *Bench) checkOutBase(ctx context.Context, w *Workshop, r Repo, tree string, targets []Target) (err error) {
	packages := b.packages()
	for i, t := range targets {
		p := &packages[i]
		switch {
		case p.Name == "":
		case !within(r.Root, t.Dir):
			return fmt.Errorf("%s is outside the repository %s: measure it alone", t.ImportPath, r.Root)
		case !exists(worktreePath(r.Root, tree, t.Dir)) && !slices.Contains(p.Without, Base):
			p.Without = append(p.Without, Base)
		}
		if slices.Contains(p.Without, Base) {
			continue
		}
		if b.checkouts[p.in(Base)], err = t.Base(ctx, w, r, tree); err != nil {
			return err
		}
	}
	return nil
}

// build compiles every variant. Of several packages, one that does not compile is recorded as broken.
func (b *Bench) build(ctx context.Context, w *Workshop, note func(string)) error {
	builder := &Builder{Workshop: w, Probe: true}
	b.Broken = nil
	list := b.variants()
	for i, v := range list {
		p := b.packageOf(v)
		if slices.Contains(p.Without, v.Rev) {
			continue
		}
		note(fmt.Sprintf("building %s (%d of %d)", v.file(), i+1, len(list)))
		err := b.buildOne(ctx, builder, v)
		if err != nil && ctx.Err() == nil && p.Name != "" && !isRefusal(err) {
			b.leaveOut(p, v.Rev, "it does not compile", err.Error())
			continue
		}
		if err != nil && ctx.Err() == nil && !isRefusal(err) {
			return fmt.Errorf("%s cannot be built:\n%w",
				map[string]string{Head: b.Package, Base: "the base " + b.BaseRev}[v.Rev], err)
		}
		if err != nil {
			return err
		}
	}
	b.Unprobed = builder.Unprobed
	return nil
}

// buildOne compiles a variant.
func (b *Bench) buildOne(ctx context.Context, builder *Builder, v Variant) error {
	name := filepath.Join(builder.Workshop.Dir, v.file())
	if v.PGO != "" && v.PGO != "off" && v.PGO != "auto" {
		given := v.PGO
		if v.PGO = b.profile(b.packageOf(v).Dir, given); !exists(v.PGO) {
			return plan.Refuse("pgo", given, "there is no such profile")
		}
	}
	binary, err := builder.Build(ctx, b.checkouts[b.packageOf(v).in(v.Rev)], v)
	if err != nil || binary == name {
		return err
	}
	return os.Rename(binary, name)
}

// leaveOut records that no benchmark of a package can be measured in a revision.
func (b *Bench) leaveOut(p *Package, rev, why, printed string) {
	removed := rev == Base && slices.Contains(p.Without, Head) && !b.failsIn(Head, p.Name+everyOf)
	p.Without = append(p.Without, rev)
	if removed {
		return // the head has no benchmark that needs it
	}
	b.Broken = append(b.Broken, result.Broken{Rev: rev, Name: p.Name + everyOf, Error: why, Text: tail(printed)})
}

// isRefusal reports whether an error is of wrong use.
func isRefusal(err error) bool {
	var r *plan.Refusal
	return errors.As(err, &r)
}

// packageOf returns the package of a variant. What it changes is kept if there are several.
func (b *Bench) packageOf(v Variant) *Package {
	list := b.packages()
	return &list[slices.IndexFunc(list, func(p Package) bool { return p.Name == v.Package })]
}

// profile returns the path of a profile, relative to the package's directory or to the current one.
func (b *Bench) profile(dir, name string) string {
	if inside := filepath.Join(dir, name); !filepath.IsAbs(name) && exists(inside) {
		return inside
	}
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}
