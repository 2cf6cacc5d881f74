// Release builds the archives of a release: one for each platform, with the list of the modules inside, and
// SHA256SUMS: make release. The same commit and the same version of Go give the same bytes, whatever the directory
// and the time. It exits with 2 if it is used wrongly, and with 4 if a release cannot be built.
package main

import (
	"context"
	"crypto/sha256"
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
		if slices.Contains(r.platforms, platform{goos, goarch}) {
			return fmt.Errorf("-platforms: %s is there twice", text)
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

// build builds all archives and then replaces the directory, so that a failure leaves the old one whole. Until then it
// writes nothing into the tree, because a new file would be an uncommitted change.
func (r *release) build(ctx context.Context, stdout io.Writer) error {
	extra, err := r.extraFiles()
	if err != nil {
		return err
	}
	var built []file
	for _, p := range r.platforms {
		files, err := r.buildArchive(ctx, p, extra)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		built = append(built, files...)
	}
	built = append(built, sums(built))

	if err := os.MkdirAll(filepath.Dir(r.dir), 0o777); err != nil {
		return err
	}
	partial, err := os.MkdirTemp(filepath.Dir(r.dir), ".release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(partial)
	for _, f := range built {
		if err := os.WriteFile(filepath.Join(partial, f.name), f.data, f.mode); err != nil {
			return err
		}
	}
	if err := os.Chmod(partial, 0o755); err != nil {
		return err
	}
	if err := os.RemoveAll(r.dir); err != nil {
		return err
	}
	if err := os.Rename(partial, r.dir); err != nil {
		return err
	}
	for _, f := range built {
		fmt.Fprintln(stdout, filepath.Join(r.dir, f.name))
	}
	return nil
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

// sums is the file SHA256SUMS, as sha256sum prints it, sorted by name.
func sums(files []file) file {
	var lines []string
	for _, f := range files {
		lines = append(lines, fmt.Sprintf("%x  %s\n", sha256.Sum256(f.data), f.name))
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[2*sha256.Size:], b[2*sha256.Size:]) })
	return file{name: "SHA256SUMS", mode: 0o644, data: []byte(strings.Join(lines, ""))}
}
