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

// Workshop is a directory for what a run needs beside its run directory: binaries, the helper's source, the
// worktree of another revision. The process that uses it holds its lock. Close removes it; where the process
// was killed the next [OpenWorkshop] does, whatever run that is of.
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

// OpenWorkshop removes what runs that were killed left behind below cache, and makes a workshop there. Its
// path is the same for the same key: a binary of another revision that looks for files where its source was compiled
// finds them when a run goes on.
func OpenWorkshop(ctx context.Context, cache, key string) (*Workshop, error) {
	if cache == "" {
		cache = filepath.Join(os.TempDir(), "brewput")
	}
	parent := filepath.Join(cache, "bench")
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return nil, fmt.Errorf("there is no place for binaries: %w; set XDG_CACHE_HOME to a directory "+
			"that can be written", err)
	}
	sweepOut(ctx, parent)
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
		time.Sleep(50 * time.Millisecond) // another process looks whether it was left behind
	}
}

// claim takes the lock of a workshop's directory, which it makes.
func claim(dir string) (io.Closer, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, lockName)
	l, err := lock.Lock(path)
	if err != nil {
		return nil, err
	}
	// Whoever cleaned up may have removed the file that was just locked.
	if _, err := os.Stat(path); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// sweepOut removes the workshops that nobody holds. What cannot be removed stays for the next time.
func sweepOut(ctx context.Context, parent string) {
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

// clear removes all but the lock.
func (w *Workshop) clear(ctx context.Context) error {
	var errs []error
	if repo, err := input.ReadFile(context.WithoutCancel(ctx), filepath.Join(w.Dir, repoName),
		input.Settings); err == nil {
		tree := filepath.Join(w.Dir, treeName)
		// The repository may be gone, or know nothing of a worktree that was being made.
		git(ctx, string(repo), "worktree", "remove", "--force", "--force", tree)
		errs = append(errs, removeAll(tree))
		forget(ctx, string(repo), tree)
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

// forget removes what git has noted of a worktree that git itself could not remove. Git's own prune would forget those
// of its owner too that happen not to be there, on a disk that is not mounted now.
func forget(ctx context.Context, repo, tree string) {
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

// removeAll removes a tree also where a benchmark made directories that cannot be written.
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

// Close ends what was started for the workshop, and removes it with its worktree. An interrupt does not keep it from
// that.
func (w *Workshop) Close(ctx context.Context) error {
	if w.lock == nil {
		return nil
	}
	proc.EndRecorded(w.Dir) // benchmarks and compilations, with all they started
	err := w.clear(context.WithoutCancel(ctx))
	err = errors.Join(err, w.lock.Close())
	w.lock = nil
	if e := os.RemoveAll(w.Dir); err == nil {
		err = e
	}
	return err
}

// Checkout makes a worktree of a commit and returns its root. There is one in a workshop.
func (w *Workshop) Checkout(ctx context.Context, r Repo, commit string) (string, error) {
	// First who has it, so that whoever cleans up knows.
	if err := os.WriteFile(filepath.Join(w.Dir, repoName), []byte(r.Root), 0o666); err != nil {
		return "", err
	}
	tree := filepath.Join(w.Dir, treeName)
	if _, err := git(ctx, r.Root, "worktree", "add", "--force", "--detach", tree, commit); err != nil {
		return "", fmt.Errorf("git makes no worktree of %s: %w", short(commit), err)
	}
	return filepath.EvalSymlinks(tree)
}

// short is a commit's name as people read it.
func short(commit string) string {
	if len(commit) > 12 && strings.Trim(commit, "0123456789abcdef") == "" {
		return commit[:12]
	}
	return commit
}
