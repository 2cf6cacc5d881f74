// Release builds the archives of a release: one for each platform, with the list of the modules inside, and
// SHA256SUMS: make release. The same commit and the same version of Go give the same bytes, whatever the directory
// and the time. It exits with 2 if it is used wrongly, and with 4 if a release cannot be built.
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brewput/brewput/internal/interrupt"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), interrupt.Signals()...)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// release is what to build, and where.
type release struct {
	pkg       string     // package of the program, such as ./cmd/brewput
	dir       string     // directory of the archives
	platforms []platform // in the order of the output
	files     []string   // files that each archive holds in addition
	trees     []tree     // directories that each archive holds in addition
	dirty     bool       // accept a tree with uncommitted changes
}

// tree is a directory and its name in the archive.
type tree struct{ path, name string }

// run builds a release and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var r release
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&r.pkg, "package", "./cmd/brewput", "package of the program")
	flags.StringVar(&r.dir, "dir", "dist", "directory of the archives, which is replaced")
	flags.BoolVar(&r.dirty, "dirty", false, "accept uncommitted changes; the version then ends in +dirty")
	platforms := flags.String("platforms", "linux/amd64,linux/arm64,darwin/arm64,windows/amd64",
		"platforms, separated by commas")
	files := flags.String("files", "LICENSE,README.md,CHANGELOG.md", "files that each archive holds in addition")
	trees := flags.String("trees", "", "directories that each archive holds in addition, as in bin/man=man,...")
	if err := flags.Parse(args); err != nil {
		return 2
	}

	err := r.choose(flags.Args(), *platforms, *files, *trees)
	if err != nil {
		fmt.Fprintln(stderr, "release:", err)
		return 2
	}
	if err := r.build(ctx, stdout); err != nil {
		fmt.Fprintln(stderr, "release:", err)
		return 4
	}
	return 0
}

// choose fills in what the arguments name.
func (r *release) choose(rest []string, platforms, files, trees string) error {
	if len(rest) > 0 {
		return fmt.Errorf("there is no argument %q; give flags only", rest[0])
	}
	for text := range strings.SplitSeq(platforms, ",") {
		goos, goarch, ok := strings.Cut(text, "/")
		if !ok || goos == "" || goarch == "" {
			return fmt.Errorf("-platforms: %q is not a platform; write GOOS/GOARCH, as in linux/amd64", text)
		}
		r.platforms = append(r.platforms, platform{goos, goarch})
	}
	if files != "" {
		r.files = strings.Split(files, ",")
	}
	if trees == "" {
		return nil
	}
	for text := range strings.SplitSeq(trees, ",") {
		path, name, ok := strings.Cut(text, "=")
		if !ok || path == "" || name == "" {
			return fmt.Errorf("-trees: %q does not name a directory; write PATH=NAME, as in bin/man=man", text)
		}
		r.trees = append(r.trees, tree{path, name})
	}
	return nil
}

// build builds all archives into a new directory and then puts it in the place of the old one, so that a failure
// leaves the old one whole.
func (r *release) build(ctx context.Context, stdout io.Writer) error {
	dir, err := filepath.Abs(r.dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return err
	}
	partial, err := os.MkdirTemp(filepath.Dir(dir), ".release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(partial)

	extra, err := r.extraFiles()
	if err != nil {
		return err
	}
	for _, p := range r.platforms {
		name, err := r.buildArchive(ctx, p, extra, partial)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		fmt.Fprintln(stdout, filepath.Join(r.dir, name))
	}
	if err := writeSums(partial); err != nil {
		return err
	}

	if err := os.Chmod(partial, 0o755); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(partial, dir)
}

// extraFiles reads the files that each archive holds in addition, in the order of their names.
func (r *release) extraFiles() ([]file, error) {
	var all []file
	for _, path := range r.files {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		all = append(all, file{name: filepath.Base(path), mode: 0o644, data: data})
	}
	for _, t := range r.trees {
		root := os.DirFS(t.path)
		read, err := readTree(root, t.name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.path, err)
		}
		if len(read) == 0 {
			return nil, fmt.Errorf("%s holds no file", t.path)
		}
		all = append(all, read...)
	}
	slices.SortFunc(all, func(a, b file) int { return strings.Compare(a.name, b.name) })
	for i := 1; i < len(all); i++ {
		if all[i].name == all[i-1].name {
			return nil, fmt.Errorf("two files are named %s", all[i].name)
		}
	}
	return all, nil
}

// writeSums writes SHA256SUMS, as sha256sum prints it, of all files in a directory.
func writeSums(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return errors.New("there is no platform")
	}
	var sums strings.Builder
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), e.Name())
	}
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(sums.String()), 0o644)
}
