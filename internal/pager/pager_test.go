package pager

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMain is also the pager of the tests: with PAGER_TEST it reads all or nothing, and exits.
func TestMain(m *testing.M) {
	switch os.Getenv("PAGER_TEST") {
	case "copy":
		text, _ := io.ReadAll(os.Stdin)
		os.Stdout.WriteString("paged, LESS=" + os.Getenv("LESS") + "\n" + string(text))
		os.Exit(0)
	case "quit": // after the first screen
		io.ReadFull(os.Stdin, make([]byte, 10))
		os.Exit(1)
	case "end":
		os.Exit(0)
	case "fail":
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// shown shows a page on a terminal of 24 lines, and returns what the terminal got.
func shown(t *testing.T, lines int, env map[string]string) (text string, ok bool, warning string) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "terminal"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var stderr strings.Builder
	p := New(func(name string) string { return env[name] }, &stderr)
	p.height = func(*os.File) (int, bool) { return 24, true }
	ok = p.Show(f, bytes.Repeat([]byte("x\n"), lines))
	got, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(got), ok, stderr.String()
}

func TestShow(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PAGER_TEST", "copy")
	long := "paged, LESS=FRX\n" + strings.Repeat("x\n", 24)
	for _, c := range []struct {
		lines int
		env   map[string]string
		want  string
	}{
		{24, map[string]string{"PAGER": self}, long},
		{24, map[string]string{"PAGER": self + " -and arguments"}, long},
		{23, map[string]string{"PAGER": self}, ""},
		{24, map[string]string{"PAGER": self, "NO_PAGER": "1"}, ""},
		{24, map[string]string{"PAGER": self, "TERM": "dumb"}, ""},
		{24, map[string]string{"PAGER": "cat"}, ""},
	} {
		if got, ok, warning := shown(t, c.lines, c.env); got != c.want || ok != (c.want != "") || warning != "" {
			t.Errorf("%d lines, %v: %q, %v, %q", c.lines, c.env, got, ok, warning)
		}
	}
}

// TestFail checks that a page is not shown, and why, if the pager cannot be started, or fails without reading it,
// however long the page is.
func TestFail(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PAGER_TEST", "fail")
	for program, want := range map[string]string{
		self: "does not show the page (exit status 1): correct $PAGER, or set NO_PAGER=1",

		filepath.Join(t.TempDir(), "missing"): "missing\" does not show the page (",
	} {
		for _, lines := range []int{24, 1_000_000} {
			got, ok, warning := shown(t, lines, map[string]string{"PAGER": program})
			if ok || got != "" || !strings.HasPrefix(warning, "warning: the pager ") ||
				!strings.Contains(warning, want) || strings.Count(warning, "\n") != 1 {
				t.Errorf("%s, %d lines: %v, %q, %q", program, lines, ok, got, warning)
			}
		}
	}
}

// TestQuit checks that a pager that ends early is no error, however long the page is: one that fails after it has read
// something, and one that succeeds without.
func TestQuit(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, how := range []string{"quit", "end"} {
		t.Setenv("PAGER_TEST", how)
		for _, lines := range []int{24, 1_000_000} {
			got, ok, warning := shown(t, lines, map[string]string{"PAGER": self})
			if !ok || got != "" || warning != "" {
				t.Errorf("%s, %d lines: %v, %d bytes, %q", how, lines, ok, len(got), warning)
			}
		}
	}
}

// TestNoTerminal checks that pages in files and buffers are not paged.
func TestNoTerminal(t *testing.T) {
	page := bytes.Repeat([]byte("x\n"), 1000)
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := New(func(string) string { return "" }, io.Discard)
	for _, w := range []io.Writer{f, &bytes.Buffer{}} {
		if p.Show(w, page) {
			t.Errorf("%T is paged", w)
		}
	}
}

// TestUnknownHeight checks that a page is not paged on a terminal whose height nobody has set.
func TestUnknownHeight(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PAGER_TEST", "copy")
	f, err := os.Create(filepath.Join(t.TempDir(), "terminal"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines, paged := range map[int]bool{0: false, 1: true} {
		p := Pager{getenv: func(name string) string { return map[string]string{"PAGER": self}[name] },
			height: func(*os.File) (int, bool) { return lines, true }}
		if got := p.Show(f, []byte("x\nx\n")); got != paged {
			t.Errorf("%d lines: paged %v", lines, got)
		}
	}
}

func TestCommand(t *testing.T) {
	p := New(func(string) string { return "" }, io.Discard)
	missing := func(string) (string, error) { return "", errors.New("missing") }
	found := func(name string) (string, error) { return name, nil }
	if got := p.command(found); !slices.Equal(got, []string{"less", "-FRX"}) {
		t.Errorf("%q", got)
	}
	if got := p.command(missing); got != nil {
		t.Errorf("without less: %q", got)
	}
}
