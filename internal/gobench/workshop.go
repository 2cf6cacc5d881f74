package gobench

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/internal/lock"
	"github.com/brewput/brewput/internal/proc"
)

// Workshop is a directory for the files of a run that are not in its run directory: binaries, the source of the
// helper, and the worktree of another revision. The process that uses it holds its lock. Close removes it. If
// the process was killed, the next [OpenWorkshop] removes it, for any run.
//
// It holds
//
//	lock       held by the process
//	groups     the processes that were started for it
//	repo       the root of the repository that has a worktree here
//	tree/      the worktree
//	...        binaries and files of the go command
type Workshop struct {
	Dir  string
	lock io.Closer
}

const (
	lockName = "lock"
	repoName = "repo"
	treeName = "tree"
)

// OpenWorkshop removes the workshops of killed processes below cache, and creates one there. Its path depends
// only on key. So a binary of another revision that opens files next to its source still finds them when a run
// continues.
func OpenWorkshop(ctx context.Context, cache, key string) (*Workshop, error) {
	if cache == "" {
		cache = filepath.Join(os.TempDir(), "brewput")
	}
	parent := filepath.Join(cache, "bench")
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return nil, fmt.Errorf("there is no place for binaries: %w; set XDG_CACHE_HOME to a directory "+
			"that can be written", err)
	}

	removeAbandoned(ctx, parent)
	sum := sha256.Sum256([]byte(key))
	dir := filepath.Join(parent, hex.EncodeToString(sum[:6]))
	for try := 0; ; try++ {
		l, err := claim(dir)
		if err == nil {
			w := &Workshop{dir, l}
			if err := w.clear(ctx); err != nil {
				return nil, errors.Join(err, l.Close())
			}
			return w, nil
		}
		if try == 20 || ctx.Err() != nil {
			return nil, fmt.Errorf("%s is in use by another process: wait until it ends (%w)", dir, err)
		}
		time.Sleep(50 * time.Millisecond) // another process may be checking whether it was abandoned
	}
}

// claim creates the directory of a workshop and locks it.
func claim(dir string) (io.Closer, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return lock.Lock(filepath.Join(dir, lockName))
}

// removeAbandoned removes the workshops that no process holds. What cannot be removed stays for the next time.
func removeAbandoned(ctx context.Context, parent string) {
	entries, _ := os.ReadDir(parent)
	for _, e := range entries {
		dir := filepath.Join(parent, e.Name())
		if _, err := os.Stat(filepath.Join(dir, lockName)); err != nil {
			continue
		}
		if l, err := lock.Lock(filepath.Join(dir, lockName)); err == nil {
			w := &Workshop{dir, l}
			w.Close(ctx)
		}
	}
}

// clear removes everything but the lock.
func (w *Workshop) clear(ctx context.Context) error {
	var errs []error
	if repo, err := input.ReadFile(context.WithoutCancel(ctx), filepath.Join(w.Dir, repoName),
		input.Settings); err == nil {
		tree := filepath.Join(w.Dir, treeName)
		// The repository may be gone, or may not know a worktree whose creation was interrupted.
		git(ctx, string(repo), "worktree", "remove", "--force", "--force", tree)
		errs = append(errs, removeAll(tree))
		pruneWorktree(ctx, string(repo), tree)
	}
	entries, err := os.ReadDir(w.Dir)
	errs = append(errs, err)
	for _, e := range entries {
		if e.Name() != lockName {
			errs = append(errs, removeAll(filepath.Join(w.Dir, e.Name())))
		}
	}
	return errors.Join(errs...)
}

// pruneWorktree removes git's records of a worktree that git itself could not remove. Git's own prune would
// also forget worktrees of the user that are missing at the moment, such as those on a disk that is not
// mounted.
func pruneWorktree(ctx context.Context, repo, tree string) {
	common, err := git(ctx, repo, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return
	}
	notes := filepath.Join(strings.TrimSpace(string(common)), "worktrees")
	entries, _ := os.ReadDir(notes)
	for _, e := range entries {
		dir := filepath.Join(notes, e.Name())
		if of, err := input.ReadFile(context.WithoutCancel(ctx), filepath.Join(dir, "gitdir"),
			input.Settings); err == nil && strings.TrimSpace(string(of)) == filepath.Join(tree, ".git") {
			os.RemoveAll(dir)
		}
	}
}

// removeAll removes a tree, even if a benchmark made directories without write permission.
func removeAll(path string) error {
	if os.RemoveAll(path) == nil {
		return nil
	}
	filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			os.Chmod(p, 0o700)
		}
		return nil
	})
	return os.RemoveAll(path)
}

// Close ends the processes that were started for the workshop, and removes it with its worktree. A cancelled
// context does not stop that.
func (w *Workshop) Close(ctx context.Context) error {
	if w.lock == nil {
		return nil
	}
	proc.EndRecorded(w.Dir) // benchmarks and compilations, with all their children
	err := w.clear(context.WithoutCancel(ctx))
	path := filepath.Join(w.Dir, lockName)
	removed := false
	if err == nil { // otherwise the lock file stays, so that the next workshop tries again
		removed = os.Remove(path) == nil // while it is locked: afterwards it may be that of another owner
	}
	err = errors.Join(err, w.lock.Close())
	w.lock = nil
	if err != nil {
		return err
	}
	if !removed { // Windows does not remove open files, and so not that of another owner
		err = os.Remove(path)
	}
	os.Remove(w.Dir) // fails if another process has claimed it
	return err
}

// Checkout creates a worktree of a commit and returns its root. A workshop has at most one.
func (w *Workshop) Checkout(ctx context.Context, r Repo, commit string) (string, error) {
	// The name of the repository is written first, so that cleaning up after a kill finds it.
	if err := os.WriteFile(filepath.Join(w.Dir, repoName), []byte(r.Root), 0o666); err != nil {
		return "", err
	}
	tree := filepath.Join(w.Dir, treeName)
	if _, err := git(ctx, r.Root, "worktree", "add", "--force", "--detach", tree, commit); err != nil {
		return "", fmt.Errorf("git makes no worktree of %s: %w", short(commit), err)
	}
	return filepath.EvalSymlinks(tree)
}

// short returns the abbreviated hash of a commit.
func short(commit string) string {
	if len(commit) > 12 && strings.Trim(commit, "0123456789abcdef") == "" {
		return commit[:12]
	}
	return commit
}
