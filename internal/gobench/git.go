package gobench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Repo is the git repository of a package.
type Repo struct {
	Root string // absolute, without symbolic links
}

// FindRepo finds the repository of a directory.
func FindRepo(ctx context.Context, dir string) (Repo, error) {
	out, err := git(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return Repo{}, fmt.Errorf("%s is not in a git repository, so there is no other revision to compare with: %w",
			dir, err)
	}
	root, err := filepath.EvalSymlinks(strings.TrimSpace(string(out)))
	return Repo{root}, err
}

// Commit returns the full hash of the commit that rev names.
func (r Repo) Commit(ctx context.Context, rev string) (string, error) {
	out, err := git(ctx, r.Root, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err == nil {
		return strings.TrimSpace(string(out)), nil
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if shallow, e := git(ctx, r.Root, "rev-parse", "--is-shallow-repository"); e == nil &&
		strings.TrimSpace(string(shallow)) == "true" {
		return "", fmt.Errorf("the revision %s is not in this clone, which is shallow: fetch it with git fetch "+
			"--unshallow, or in a CI job clone with the whole history (actions/checkout: fetch-depth: 0)", rev)
	}
	return "", fmt.Errorf("there is no revision %s in %s; git log shows those there are", rev, r.Root)
}

// Modified reports whether the tree differs from its commit, and whether only by untracked files. A build may use
// these too.
func (r Repo) Modified(ctx context.Context) (modified, untracked bool, err error) {
	out, err := git(ctx, r.Root, "status", "--porcelain")
	untracked = len(out) > 0
	for line := range strings.Lines(string(out)) {
		untracked = untracked && strings.HasPrefix(line, "??")
	}
	return len(out) > 0, untracked, err
}

// git runs git without the hooks of the repository. It finds the repository by the directory, even if a hook of
// another repository started this process.
func git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	env := []string{"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C"}
	return run(ctx, dir, env, "git", append([]string{"-c", "core.hooksPath=" + os.DevNull, "-c",
		"advice.detachedHead=false"}, args...)...)
}

// gitVariables are the variables by which git names the repository to its hooks.
var gitVariables = []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR",
	"GIT_OBJECT_DIRECTORY"}

// within reports whether path is root or below it.
func within(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
