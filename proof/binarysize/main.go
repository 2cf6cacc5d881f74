// Size reports what takes the space of the released binary, by section, module and package: make size. It exits
// with 1 if the binary is larger than the limit, and with 4 if it cannot be built or read.
package main

import (
	"cmp"
	"context"
	"debug/elf"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brewput/brewput/internal/proc"
	"github.com/brewput/brewput/tools/release/settings"
)

// limit is the maximum size of the released binary for linux/amd64, in bytes.
const limit = 25_000_000

func main() {
	check := flag.Bool("check", false, "only compare the released binary with the limit")
	dir := flag.String("dir", "bin", "where the binaries are built")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "size: there is no argument %q\n", flag.Arg(0))
		os.Exit(2)
	}
	kept, err := run(os.Stdout, *dir, *check)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "size:", err)
		os.Exit(4)
	case !kept:
		os.Exit(1)
	}
}

// run builds the released binary. Unless only its size is asked for, it also builds one with symbols. Both have
// the same code.
func run(w io.Writer, dir string, check bool) (kept bool, err error) {
	released := filepath.Join(dir, "brewput-released")
	if err := build(released, settings.LinkerFlags); err != nil {
		return false, err
	}
	if !check {
		whole := filepath.Join(dir, "brewput-symbols")
		if err := build(whole, ""); err != nil {
			return false, err
		}
		if err := explain(w, whole); err != nil {
			return false, err
		}
	}
	info, err := os.Stat(released)
	if err != nil {
		return false, err
	}
	return judge(w, info.Size()), nil
}

// build builds the command as it is released, with the given linker flags. It leaves out the revision, which takes less
// than a kilobyte and needs a git clone.
func build(file, ldflags string) error {
	_, err := goCommand(append(settings.Build(ldflags), "-buildvcs=false", "-o", file, "./cmd/brewput")...)
	return err
}

// goCommand runs the go command with the settings of make release for linux/amd64, whatever the environment and
// go env -w set. It returns the standard output, of at most 1 MB.
func goCommand(args ...string) (string, error) {
	c := proc.Command{Env: settings.Environment("linux", "amd64")}
	out, _, err := c.Tool(context.Background(), 1<<20, "go", args...)
	if err != nil {
		return "", fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return out, nil
}

// judge reports whether a size is within the limit.
func judge(w io.Writer, size int64) bool {
	verdict := "kept"
	if size > limit {
		verdict = "MISSED; make size reports what takes the space"
	}
	fmt.Fprintf(w, "released binary (go %s, linux/amd64, no cgo): %s; limit %s: %s\n",
		strings.Join(settings.Build("'"+settings.LinkerFlags+"'"), " "), megabytes(size), megabytes(limit), verdict)
	return size <= limit
}

func megabytes(n int64) string { return fmt.Sprintf("%.2f MB", float64(n)/1e6) }

// explain prints the sections of a binary with symbols, and the symbols by module and package.
func explain(w io.Writer, file string) error {
	f, err := elf.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	sections, debug := map[string]int64{}, int64(0)
	for _, s := range f.Sections {
		switch {
		case s.Type == elf.SHT_NOBITS: // memory that is not part of the file
		case s.Flags&elf.SHF_ALLOC == 0:
			debug += int64(s.FileSize)
		default:
			sections[s.Name] = int64(s.FileSize)
		}
	}
	symbols, err := f.Symbols()
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	packages := bySymbols(f.Sections, symbols)
	modules, err := byModules(packages)
	if err != nil {
		return err
	}
	table(w, "section: .text is code, .gopclntab the tables of functions and lines, .rodata constants and types",
		sections, 8)
	fmt.Fprintf(w, "%10s  not released: symbols and debug information\n\n", megabytes(debug))
	table(w, "module: its functions and data, without their part of .gopclntab", modules, 12)
	table(w, "package", packages, 30)
	return nil
}

// bySymbols sums the sizes of the symbols that are in the file, by package.
func bySymbols(sections []*elf.Section, symbols []elf.Symbol) map[string]int64 {
	sizes := map[string]int64{}
	for _, s := range symbols {
		if i := int(s.Section); i > 0 && i < len(sections) && sections[i].Type != elf.SHT_NOBITS && s.Size > 0 {
			sizes[packageOf(s.Name)] += int64(s.Size)
		}
	}
	return sizes
}

// generated stands for the package of symbols that the linker generates.
const generated = "(linker)"

// packageOf returns the package of a symbol.
func packageOf(symbol string) string {
	for _, prefix := range []string{"go:itab.", "type:.eq.", "type:.hash.", "type:"} {
		symbol = strings.TrimPrefix(symbol, prefix)
	}
	// A generic function belongs to the package that declares it.
	symbol, _, _ = strings.Cut(strings.TrimLeft(symbol, "*"), "[")
	path := strings.LastIndexByte(symbol, '/') + 1
	name, _, ok := strings.Cut(symbol[path:], ".")
	if !ok || name == "" || strings.ContainsAny(name, ":( {") {
		return generated
	}
	return strings.ReplaceAll(symbol[:path]+name, "%2e", ".")
}

// byModules sums the sizes of packages by module.
func byModules(packages map[string]int64) (map[string]int64, error) {
	out, err := goCommand("list", "-deps", "-f", "{{.ImportPath}} {{with .Module}}{{.Path}}{{else}}standard "+
		"library{{end}}", "./cmd/brewput")
	if err != nil {
		return nil, err
	}
	modules := map[string]string{generated: generated}
	for line := range strings.Lines(out) {
		path, module, _ := strings.Cut(strings.TrimSpace(line), " ")
		modules[path] = module
	}
	sizes := map[string]int64{}
	for path, size := range packages {
		sizes[cmp.Or(modules[path], "(others)")] += size
	}
	return sizes, nil
}

// table prints the largest n sizes, and the sum of the rest.
func table(w io.Writer, title string, sizes map[string]int64, n int) {
	fmt.Fprintln(w, title)
	names := slices.SortedFunc(maps.Keys(sizes), func(a, b string) int {
		return cmp.Or(cmp.Compare(sizes[b], sizes[a]), strings.Compare(a, b))
	})
	rest := int64(0)
	for i, name := range names {
		if i >= n {
			rest += sizes[name]
			continue
		}
		fmt.Fprintf(w, "%10s  %s\n", megabytes(sizes[name]), name)
	}
	if len(names) > n {
		fmt.Fprintf(w, "%10s  %d others\n", megabytes(rest), len(names)-n)
	}
	fmt.Fprintln(w)
}
