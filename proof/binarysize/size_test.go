package main

import (
	"bytes"
	"debug/elf"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPackageOf(t *testing.T) {
	for symbol, want := range map[string]string{
		"net/http.(*Transport).dialConn":   "net/http",
		"runtime.mheap_":                   "runtime",
		"github.com/brewput/brewput.Main":  "github.com/brewput/brewput",
		"gopkg.in/yaml%2ev3.Unmarshal":     "gopkg.in/yaml.v3",
		"slices.SortFunc[go.shape.[]int]":  "slices",
		"go:itab.*os.File,io.Reader":       "os",
		"type:.eq.net/http.Cookie":         "net/http",
		"type:*github.com/spf13/cobra.Cmd": "github.com/spf13/cobra",
		"go:func.*":                        generated,
		"type:func(int) string":            generated,
		"":                                 generated,
		"_rt0_amd64_linux":                 generated,
	} {
		if got := packageOf(symbol); got != want {
			t.Errorf("%q is of %q, want %q", symbol, got, want)
		}
	}
}

// TestBySymbols checks that symbols that only take memory, or have no section, take no space in the file.
func TestBySymbols(t *testing.T) {
	sections := []*elf.Section{{}, {SectionHeader: elf.SectionHeader{Type: elf.SHT_PROGBITS}},
		{SectionHeader: elf.SectionHeader{Type: elf.SHT_NOBITS}}}
	got := bySymbols(sections, []elf.Symbol{
		{Name: "fmt.Println", Section: 1, Size: 100}, {Name: "fmt.Sprint", Section: 1, Size: 20},
		{Name: "os.Args", Section: 1, Size: 7},
		{Name: "os.buffer", Section: 2, Size: 1 << 25}, {Name: "os.outside", Section: 9, Size: 5},
		{Name: "os.undefined", Size: 5},
	})
	if want := map[string]int64{"fmt": 120, "os": 7}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestGoCommand checks that neither the environment nor go env -w changes what is built.
func TestGoCommand(t *testing.T) {
	settings := filepath.Join(t.TempDir(), "env") // as go env -w writes it
	if err := os.WriteFile(settings, []byte("GOFLAGS=-tags=other\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOENV", settings)
	t.Setenv("CGO_ENABLED", "1")
	t.Setenv("GOAMD64", "v3")
	t.Setenv("GOFIPS140", "latest")
	got, err := goCommand("env", "GOOS", "GOARCH", "CGO_ENABLED", "GOAMD64", "GOFIPS140", "GOFLAGS")
	if want := "linux\namd64\n0\nv1\noff\n\n"; err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestJudge(t *testing.T) {
	for size, want := range map[int64]string{21_819_657: "21.82 MB; limit 25.00 MB: kept", limit: "kept",
		limit + 1: "MISSED"} {
		var out bytes.Buffer
		if kept := judge(&out, size); kept != (size <= limit) || !strings.Contains(out.String(), want) {
			t.Errorf("%d: %v, %q", size, kept, out.String())
		}
	}
}

func TestTable(t *testing.T) {
	var out bytes.Buffer
	table(&out, "package", map[string]int64{"b": 20_000, "a": 20_000, "c": 5_000_000, "d": 10_000, "e": 10_000}, 3)
	if want := "package\n   5.00 MB  c\n   0.02 MB  a\n   0.02 MB  b\n   0.02 MB  2 others\n\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
