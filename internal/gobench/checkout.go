package gobench

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/brewput/brewput/internal/input"
)

// Checkout is the tree in which the package of a revision is built and run.
type Checkout struct {
	Dir   string   // of the package; benchmarks run here, as under go test
	env   []string // for the go command
	flags []string
}

// Head returns the package in the user's tree, including uncommitted changes.
func (t Target) Head() Checkout { return Checkout{Dir: t.Dir} }

// Base returns the package in the worktree of another revision.
//
// A go.mod or go.work may name modules outside the repository by a relative path, which does not exist beside
// the worktree. In that case the go command uses a copy of the file with absolute paths.
func (t Target) Base(ctx context.Context, w *Workshop, r Repo, tree string) (Checkout, error) {
	p := Checkout{Dir: worktreePath(r.Root, tree, t.Dir)}
	if !exists(p.Dir) {
		return p, fmt.Errorf("the base has no directory %s: the package is newer; give a later revision",
			relative(r.Root, t.Dir))
	}
	if t.GoWork != "" && t.GoWork != "off" {
		file, err := workFile(ctx, w, r, tree, t.GoWork)
		p.env = append(p.env, "GOWORK="+file)
		return p, err
	}
	p.env = append(p.env, "GOWORK=off") // ignore one above the worktree
	if t.GoMod == "" {
		return p, nil
	}
	mod := goModOf(tree, p.Dir)
	if !within(r.Root, t.GoMod) || mod == "" {
		return p, fmt.Errorf("the base has no %s, so its package belongs to no module; give a later revision",
			relative(r.Root, t.GoMod))
	}
	file, err := modFile(ctx, w, r, tree, mod)
	if file != "" {
		p.flags = append(p.flags, "-modfile="+file)
	}
	return p, err
}

// goModOf returns the go.mod of a directory in the worktree, whose module may differ from that in the user's tree. It
// returns "" if there is none.
func goModOf(tree, dir string) string {
	for ; within(tree, dir); dir = filepath.Dir(dir) {
		if mod := filepath.Join(dir, "go.mod"); exists(mod) {
			return mod
		}
	}
	return ""
}

// worktreePath returns the path in the worktree of a path in the repository.
func worktreePath(root, tree, path string) string { return filepath.Join(tree, relative(root, path)) }

// relative returns path relative to root.
func relative(root, path string) string {
	if rel, err := filepath.Rel(root, path); err == nil {
		return rel
	}
	return path
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

// replacement is a replace directive of go.mod or go.work.
type replacement struct {
	Old, New struct{ Path, Version string }
}

// old returns the replaced module, with its version if there is one.
func (r replacement) old() string {
	if r.Old.Version != "" {
		return r.Old.Path + "@" + r.Old.Version
	}
	return r.Old.Path
}

// outsidePath returns the absolute path of a relative path that leads from dir in the worktree out of the worktree.
// It is resolved as in the repository. It returns "" if the path stays inside.
func outsidePath(r Repo, tree, dir, path string) string {
	if filepath.IsAbs(path) || !strings.HasPrefix(path, ".") {
		return ""
	}
	if within(tree, filepath.Join(dir, path)) {
		return ""
	}
	return filepath.Join(worktreePath(tree, r.Root, dir), path)
}

// modFile returns the path of a go.mod whose replacements exist. It returns "" if the worktree's own go.mod
// will do, or if modules are vendored: then they are not used, and must match vendor/modules.txt.
func modFile(ctx context.Context, w *Workshop, r Repo, tree, mod string) (string, error) {
	if exists(filepath.Join(filepath.Dir(mod), "vendor", "modules.txt")) &&
		!strings.Contains(os.Getenv("GOFLAGS"), "-mod=mod") {
		return "", nil
	}
	out, err := run(ctx, filepath.Dir(mod), nil, "go", "mod", "edit", "-json", mod)
	if err != nil {
		return "", fmt.Errorf("the base's go.mod cannot be read: %w", err)
	}
	var parsed struct{ Replace []replacement }
	if err := json.Unmarshal(out, &parsed); err != nil {
		return "", err
	}

	var edits []string
	for _, x := range parsed.Replace {
		if to := outsidePath(r, tree, filepath.Dir(mod), x.New.Path); x.New.Version == "" && to != "" {
			edits = append(edits, "-replace="+x.old()+"="+to)
		}
	}
	if len(edits) == 0 {
		return "", nil
	}

	file := filepath.Join(w.Dir, fmt.Sprintf("%x.mod", sha256.Sum256([]byte(mod)))) // of each module
	if err := copyFile(ctx, mod, file); err != nil {
		return "", err
	}
	if sum := strings.TrimSuffix(mod, ".mod") + ".sum"; exists(sum) {
		if err := copyFile(ctx, sum, strings.TrimSuffix(file, ".mod")+".sum"); err != nil {
			return "", err
		}
	}
	_, err = run(ctx, w.Dir, nil, "go", append(append([]string{"mod", "edit"}, edits...), file)...)
	return file, err
}

// workspace is the output of go work edit -json.
type workspace struct {
	Go        string
	Toolchain string
	Use       []struct{ DiskPath string }
	Replace   []replacement
}

// workFile returns a go.work for the worktree. It is the revision's own file if there is one and all its paths
// stay valid. Otherwise it is one that takes the repository's modules from the worktree, and other modules from
// their own directories.
func workFile(ctx context.Context, w *Workshop, r Repo, tree, work string) (string, error) {
	from := work
	if own := worktreePath(r.Root, tree, work); within(r.Root, work) && exists(own) {
		from = own
	}
	out, err := run(ctx, filepath.Dir(from), nil, "go", "work", "edit", "-json", from)
	if err != nil {
		return "", fmt.Errorf("the workspace file %s cannot be read: %w", from, err)
	}
	var parsed workspace
	if err := json.Unmarshal(out, &parsed); err != nil {
		return "", err
	}
	text, same := parsed.text(r, tree, filepath.Dir(work))
	if same && within(tree, from) {
		return from, nil
	}
	file := filepath.Join(w.Dir, "go.work")
	if sum := from + ".sum"; exists(sum) {
		if err := copyFile(ctx, sum, file+".sum"); err != nil {
			return "", err
		}
	}
	return file, os.WriteFile(file, []byte(text), 0o666)
}

// text returns the workspace with absolute paths; dir is its directory in the user's tree. same reports whether
// the relative paths lead to the same directories.
func (s workspace) text(r Repo, tree, dir string) (text string, same bool) {
	same = true
	locate := func(path string) string {
		abs := path
		if !filepath.IsAbs(path) {
			abs = filepath.Join(dir, path)
		}
		if within(r.Root, abs) {
			same = same && !filepath.IsAbs(path)
			return worktreePath(r.Root, tree, abs)
		}
		same = same && filepath.IsAbs(path)
		return abs
	}
	if s.Go != "" {
		text += "go " + s.Go + "\n"
	}
	if s.Toolchain != "" {
		text += "toolchain " + s.Toolchain + "\n"
	}
	for _, u := range s.Use {
		abs := locate(u.DiskPath)
		if !exists(filepath.Join(abs, "go.mod")) { // the revision lacks a module
			same = false
			continue
		}
		text += fmt.Sprintf("use %q\n", abs)
	}
	for _, x := range s.Replace {
		to := x.New.Path + " " + x.New.Version
		if x.New.Version == "" {
			to = fmt.Sprintf("%q", locate(x.New.Path))
		}
		text += "replace " + strings.Replace(x.old(), "@", " ", 1) + " => " + to + "\n"
	}
	return text, same
}

// copyFile copies a settings file.
func copyFile(ctx context.Context, from, to string) error {
	text, err := input.ReadFile(ctx, from, input.Settings)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o666)
}
