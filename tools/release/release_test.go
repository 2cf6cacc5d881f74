package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/brewput/brewput/internal/proc"
	"github.com/brewput/brewput/tools/repository"
)

// TestRelease builds a release of a small program in two directories and compares every byte.
func TestRelease(t *testing.T) {
	here := runtime.GOOS + "/" + runtime.GOARCH
	args := []string{"-package", ".", "-platforms", here, "-files", "README.md", "-trees", "man=share/man"}
	base := "brewput_v1.2.3_" + strings.ReplaceAll(here, "/", "_")

	first := t.TempDir()
	if err := os.Mkdir(filepath.Join(first, "man"), 0o777); err != nil {
		t.Fatal(err)
	}
	err := repository.Make(t.Context(), first, map[string]string{"go.mod": "module example.com/a\n\ngo 1.26\n",
		"main.go": "package main\n\nfunc main() { println(\"made\") }\n", "README.md": "read me\n",
		filepath.Join("man", "a.1"): "a page\n", ".gitignore": "dist/\n"})
	if err != nil {
		t.Fatal(err)
	}
	git(t, first, "tag", "v1.2.3")
	settings := filepath.Join(t.TempDir(), "env") // as go env -w writes it
	if err := os.WriteFile(settings, []byte("GOFLAGS=-tags=other\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOENV", settings)
	second := filepath.Join(t.TempDir(), "another place")
	git(t, first, "clone", "-q", first, second)

	dirs := []map[string]string{}
	for _, dir := range []string{first, second} {
		t.Chdir(dir)
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), args, &stdout, &stderr); code != 0 {
			t.Fatalf("exit %d: %s", code, &stderr)
		}
		if want := filepath.Join("dist", base+archiveSuffix()) + "\n"; !strings.HasPrefix(stdout.String(), want) {
			t.Errorf("printed %q, not %q", &stdout, want)
		}
		dirs = append(dirs, contents(t, "dist"))
	}

	for name, data := range dirs[0] {
		if dirs[1][name] != data {
			t.Errorf("%s differs between two builds", name)
		}
	}
	archive := unpack(t, archiveSuffix(), []byte(dirs[0][base+archiveSuffix()]))
	for _, want := range []string{"/brewput", "/README.md -rw-r--r-- read me\n", "/share/man/a.1 -rw-r--r-- a page\n"} {
		if !strings.Contains(archive, base+want) {
			t.Errorf("the archive lacks %q:\n%.1000q", base+want, archive)
		}
	}
	list, sums := dirs[0][base+"_modules.txt"], dirs[0]["SHA256SUMS"]
	for _, want := range []string{runtime.Version(), "mod\texample.com/a\tv1.2.3", "-trimpath=true", "vcs.revision="} {
		if !strings.Contains(list, want) {
			t.Errorf("the list of modules lacks %q:\n%s", want, list)
		}
	}
	if strings.Contains(list, first) || strings.Contains(list, "-tags") {
		t.Errorf("the list of modules holds a path or a setting of this machine:\n%s", list)
	}
	for _, name := range []string{base + archiveSuffix(), base + "_modules.txt"} {
		if want := fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(dirs[0][name])), name); !strings.Contains(sums, want) {
			t.Errorf("SHA256SUMS lacks %q:\n%s", want, sums)
		}
	}
	if len(dirs[0]) != 3 {
		t.Errorf("dist holds %d files, not 3", len(dirs[0]))
	}
}

// TestReleaseRefuses checks what a release is not built from, and that the last release stays as it was.
func TestReleaseRefuses(t *testing.T) {
	dir := t.TempDir()
	if err := repository.Make(t.Context(), dir, map[string]string{"go.mod": "module example.com/a\n\ngo 1.26\n",
		"main.go": "package main\n\nfunc main() {}\n"}); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if err := os.Mkdir("dist", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := repository.Write("dist", map[string]string{"old": "the last release"}); err != nil {
		t.Fatal(err)
	}
	here := runtime.GOOS + "/" + runtime.GOARCH
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"x"}, 2, `there is no argument "x"`},
		{[]string{"-platforms", "linux"}, 2, `"linux" is not a platform; write GOOS/GOARCH`},
		{[]string{"-platforms", "a/b,a/b"}, 2, "a/b is there twice"},
		{[]string{"-trees", "man"}, 2, `"man" does not name a directory; write PATH=NAME`},
		{[]string{"-package", ".", "-files", "none"}, 4, "none"},
		{[]string{"-package", ".", "-files", "", "-trees", "nothing=x"}, 4, "nothing"},
		{[]string{"-package", ".", "-files", "", "-platforms", "plan10/vax"}, 4, "plan10/vax: go build"},
		{[]string{"-package", ".", "-files", "", "-platforms", here}, 4, "the tree has uncommitted changes"},
		{[]string{"-package", ".", "-files", "go.mod,go.mod"}, 4, "two files are named go.mod"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), test.args, &stdout, &stderr)
		if code != test.code || !strings.Contains(stderr.String(), test.want) {
			t.Errorf("%q: exit %d with %q, not %d with %q", test.args, code, &stderr, test.code, test.want)
		}
		if got := contents(t, "dist"); got["old"] == "" || len(got) != 1 {
			t.Fatalf("%q changed the last release: %v", test.args, got)
		}
	}
	if left, _ := filepath.Glob(".release-*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestArchives checks names, modes, times and contents of both formats.
func TestArchives(t *testing.T) {
	made := time.Date(2026, 11, 24, 10, 20, 30, 0, time.UTC)
	files := []file{{"a/brewput", 0o755, []byte("program")}, {"a/LICENSE", 0o644, []byte("free")}}
	want := fmt.Sprintf("a/brewput -rwxr-xr-x program %v\na/LICENSE -rw-r--r-- free %v\n", made, made)

	for format, write := range map[string]func(io.Writer, []file, time.Time) error{".zip": writeZip,
		".tar.gz": writeTarGz} {
		var archive bytes.Buffer
		if err := write(&archive, files, made); err != nil {
			t.Fatal(err)
		}
		if got := unpack(t, format, archive.Bytes()); got != want {
			t.Errorf("%s:\n%swant\n%s", format, got, want)
		}
	}
}

// unpack returns a line for each file of an archive: its name, mode, data and time.
func unpack(t *testing.T, format string, archive []byte) string {
	t.Helper()
	var list strings.Builder
	add := func(name string, mode fs.FileMode, r io.Reader, made time.Time) {
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&list, name, mode, string(data), made.UTC())
	}
	if format == ".zip" {
		zr, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range zr.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			add(f.Name, f.Mode(), r, f.Modified)
		}
		return list.String()
	}
	gz, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	for tr := tar.NewReader(gz); ; {
		h, err := tr.Next()
		if err == io.EOF {
			return list.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		add(h.Name, h.FileInfo().Mode(), tr, h.ModTime)
	}
}

// TestReadTree checks the order of the files and that links are refused.
func TestReadTree(t *testing.T) {
	tree := fstest.MapFS{"man1/b.1": {Data: []byte("b")}, "man1/a.1": {Data: []byte("a")}}
	files, err := readTree(tree, "man")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.name)
	}
	if want := []string{"man/man1/a.1", "man/man1/b.1"}; !slices.Equal(names, want) {
		t.Errorf("read %v, not %v", names, want)
	}
	tree["man1/link"] = &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte("a.1")}
	if _, err := readTree(tree, "man"); err == nil || !strings.Contains(err.Error(), "man1/link") {
		t.Errorf("a link was accepted: %v", err)
	}
}

func archiveSuffix() string {
	if runtime.GOOS == "windows" {
		return ".zip"
	}
	return ".tar.gz"
}

// contents reads the files of a directory by name.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(data)
	}
	return all
}

func git(t *testing.T, dir string, args ...string) { gitText(t, dir, args...) }

// gitText returns what git prints.
func gitText(t *testing.T, dir string, args ...string) string {
	t.Helper()
	c := proc.Command{Dir: dir}
	out, _, err := c.Tool(context.Background(), mostOutput, "git", args...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out)
}
