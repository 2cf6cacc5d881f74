package starter

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brewput/brewput/internal/buildinfo"
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
