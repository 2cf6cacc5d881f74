package starter

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/brewput/brewput/internal/buildinfo"
	"github.com/brewput/brewput/plan"
)

// TestModule: the new module uses the checkout that the user names, or the published module that the program was built
// from, or else the program's own source. Only a program without source needs go mod tidy.
func TestModule(t *testing.T) {
	source, other := checkout(t), checkout(t)
	for name, c := range map[string]struct {
		local, version, sum, source string
		require, replace            string // what follows in go.mod; "" for no such line
		tidy                        bool
	}{
		"checkout":                    {version: "(devel)", source: source, require: "v0.0.0", replace: source},
		"changed checkout":            {version: "v1.2.3+dirty", source: source, require: "v0.0.0", replace: source},
		"tagged checkout":             {version: "v1.2.3", source: source, require: "v0.0.0", replace: source},
		"installed":                   {version: "v1.2.3", sum: "h1:x=", source: source, require: "v1.2.3"},
		"archive":                     {version: "v1.2.3", require: "v1.2.3", tidy: true},
		"archive of a changed source": {version: "(devel)", tidy: true},
		"local": {local: other, version: "v1.2.3", sum: "h1:x=", source: source, require: "v0.0.0",
			replace: other},
	} {
		b := buildinfo.Build{Version: c.version, Sum: c.sum}
		files, err := Program{Name: "mine", Local: c.local}.module(b, c.source)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		mod, sum := files["go.mod"], files["go.sum"]
		line := func(start, end string) bool {
			want := start + " " + end
			return end == "" && !strings.Contains(mod, start) || end != "" && strings.Contains(mod, "\n"+want+"\n")
		}
		if !line("require "+buildinfo.Module, c.require) || !line("replace "+buildinfo.Module+" =>", c.replace) ||
			(sum == "") != c.tidy || c.tidy == strings.Contains(mod, "example.com/dep v1.0.0 // indirect") {
			t.Errorf("%s:\n%s\n%s", name, mod, sum)
		}
		lines := buildinfo.Module + " v1.2.3 h1:x=\n" + buildinfo.Module + " v1.2.3/go.mod h1:"
		if strings.Contains(sum, lines) != (c.sum != "" && c.local == "") {
			t.Errorf("%s:\n%s", name, sum)
		}
	}
	if _, err := (Program{Name: "mine", Local: t.TempDir()}).module(buildinfo.Build{}, ""); err == nil {
		t.Error("a directory without brewput is taken for a checkout")
	}
}

// TestCached: a program of an archive finds the source of its version, and the checksum, in the module cache.
func TestCached(t *testing.T) {
	cache := t.TempDir()
	module := filepath.FromSlash(buildinfo.Module)
	dir := filepath.Join(cache, module+"@v1.2.3")
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(checkout(t), dir); err != nil {
		t.Fatal(err)
	}
	versions := filepath.Join(cache, "cache", "download", module, "@v")
	if err := os.MkdirAll(versions, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(versions, "v1.2.3.ziphash"), []byte("h1:x=\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		version, sum, cache string
		found               bool
	}{
		"archive":               {version: "v1.2.3", cache: cache, found: true},
		"installed, trimmed":    {version: "v1.2.3", sum: "h1:x=", cache: cache, found: true},
		"another sum":           {version: "v1.2.3", sum: "h1:y=", cache: cache},
		"another version":       {version: "v1.2.4", cache: cache},
		"a changed source":      {version: "v1.2.3+dirty", cache: cache},
		"no version":            {version: "(devel)", cache: cache},
		"no cache":              {version: "v1.2.3"},
		"an empty cache":        {version: "v1.2.3", cache: t.TempDir()},
		"a cache of no modules": {version: "v1.2.3", cache: dir},
	} {
		b, at := cached(buildinfo.Build{Version: c.version, Sum: c.sum}, c.cache)
		if (at == dir) != c.found || !c.found && (at != "" || b.Sum != c.sum) {
			t.Errorf("%s: %q, %q", name, at, b.Sum)
			continue
		}
		if !c.found {
			continue
		}
		files, err := Program{Name: "mine"}.module(b, at)
		if err != nil || strings.Contains(files["go.mod"], "replace") ||
			!strings.Contains(files["go.mod"], "\nrequire "+buildinfo.Module+" v1.2.3\n") ||
			!strings.Contains(files["go.sum"], "example.com/dep v1.0.0 h1:y=\n"+buildinfo.Module+" v1.2.3 h1:x=\n") {
			t.Errorf("%s: %v\n%s\n%s", name, err, files["go.mod"], files["go.sum"])
		}
	}
}

// TestRefusals checks that a directory that cannot be used is a refusal, and that a disk that fails is not.
func TestRefusals(t *testing.T) {
	isRefusal := func(err error) bool { return errors.As(err, new(*plan.Refusal)) }
	for _, lost := range []string{"go.mod", "go.sum"} {
		local := checkout(t)
		if err := os.Remove(filepath.Join(local, lost)); err != nil {
			t.Fatal(err)
		}
		t.Chdir(t.TempDir())
		_, err := Program{Name: "mine", Local: local}.Create()
		if !isRefusal(err) || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a checkout without %s: %v", lost, err)
		}
	}
	for cause, want := range map[error]bool{syscall.ENOSPC: false, syscall.EDQUOT: false, syscall.EACCES: true} {
		err := asRefusal(&fs.PathError{Op: "mkdir", Path: "mine", Err: cause})
		if isRefusal(err) != want || !errors.Is(err, cause) {
			t.Errorf("%v: a refusal: %t, want %t", err, !want, want)
		}
	}
}

// TestRequirements checks that a damaged go.mod is read as far as it goes.
func TestRequirements(t *testing.T) {
	version, indirect := requirements("go\nrequire\nrequire (\n\ta v1\n\tb\n)\ngo 1.26\n")
	if want := "\nrequire (\n\ta v1 // indirect\n)\n"; version != "1.26" || indirect != want {
		t.Errorf("%q, %q", version, indirect)
	}
}

// TestModuleCache: the cache is where the go command has it.
func TestModuleCache(t *testing.T) {
	a, b := filepath.Join("/", "a"), filepath.Join("/", "b")
	for _, c := range []struct{ cache, path, want string }{
		{a, b, a},
		{"", b + string(filepath.ListSeparator) + a, filepath.Join(b, "pkg", "mod")},
	} {
		env := map[string]string{"GOMODCACHE": c.cache, "GOPATH": c.path}
		if got := moduleCache(func(name string) string { return env[name] }); got != c.want {
			t.Errorf("%v: %s", c, got)
		}
	}
}

// checkout makes a directory that looks like a checkout of brewput.
func checkout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"brewput.go": "package brewput\n",
		"go.mod": "module m\n\ngo 1.26.0\n\nrequire (\n\texample.com/dep v1.0.0\n\texample.com/more v1.1.0 " +
			"// indirect\n)\n",
		"go.sum": "example.com/dep v1.0.0 h1:y=\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestModSum compares with the checksum of pflag v1.0.9 in the go.sum of this module.
func TestModSum(t *testing.T) {
	got := modSum([]byte("module github.com/spf13/pflag\n\ngo 1.12\n"))
	if want := "h1:McXfInJRrz4CZXVZOBLb0bTZqETkiAhM9Iw0y3An2Bg="; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestSources: this test was built from a checkout.
func TestSources(t *testing.T) {
	want, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if got := sources(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
