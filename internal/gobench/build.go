package gobench

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/brewput/brewput/internal/proc"
	"github.com/brewput/brewput/plan"
)

// Variant is one way to build the benchmarks of a revision.
type Variant struct {
	Package string // see [Package.Name]; "" if there is one
	Rev     string // Head or Base
	Go      string // toolchain such as go1.25.0; "": the one in use
	PGO     string // "", "off", "auto" or a file
	Layout  int    // seed of the order of functions; 0: the linker's own order
}

// file returns the name of the binary. Variants have different names. Most keep the name that earlier versions of
// Brewput gave them, because runs of those may be continued.
func (v Variant) file() string {
	pkg := inFile(v.Package)
	if v.PGO != "" {
		pkg = strings.ReplaceAll(pkg, "-", "%2D") // so that a dash ends it
	}
	name := v.Rev
	for _, part := range []string{pkg, inFile(v.Go), inFile(v.PGO)} {
		if part != "" {
			name += "-" + part
		}
	}
	return name + "-" + strconv.Itoa(v.Layout) + ".test"
}

// inFile writes a path as part of a file name: a slash as _, and what would be mistaken for it by its code.
func inFile(path string) string {
	return strings.NewReplacer("/", "_", "_", "%5F", "%", "%25", `\`, "%5C", ":", "%3A").Replace(path)
}

// Builder compiles test binaries.
type Builder struct {
	Workshop *Workshop
	Probe    bool   // add the helper; see NoCounters
	Unprobed string // why the helper could not be added; "" if it was
}

// Build compiles the test binary of a variant in the workshop and returns its path.
func (b *Builder) Build(ctx context.Context, p Checkout, v Variant) (string, error) {
	// With the mark and GOTMPDIR, the next workshop can end a compilation whose brewput was killed, and remove
	// its files.
	env := append(p.env[:len(p.env):len(p.env)], proc.Mark(b.Workshop.Dir), "GOTMPDIR="+b.Workshop.Dir)
	if v.Go != "" {
		env = append(env[:len(env):len(env)], "GOTOOLCHAIN="+v.Go, "GOPROXY=off") // nothing is downloaded
	}
	out, err := run(ctx, p.Dir, env, "go", "env", "GOROOT", "GOVERSION", "GOFLAGS")
	if err != nil {
		if v.Go != "" {
			return "", fmt.Errorf("the Go version %s is not installed here: %w; install it with "+
				"GOTOOLCHAIN=%s go version", v.Go, err, v.Go)
		}
		return "", err
	}
	if v.Go != "" {
		env = env[:len(env)-1] // drop GOPROXY, keep the toolchain
	}

	lines := strings.Split(string(out)+"\n\n\n", "\n")
	goroot, version, goflags := lines[0], lines[1], lines[2]
	if v.Layout != 0 && strings.Contains(goflags, "-ldflags") {
		return "", plan.Refuse("", nil, "GOFLAGS has -ldflags, which {layouts} sets too: give one of them")
	}

	binary := filepath.Join(b.Workshop.Dir, v.file())
	args := append([]string{"test", "-c", "-o", binary}, p.flags...)
	if v.PGO != "" {
		args = append(args, "-pgo="+v.PGO)
	}
	if v.Layout != 0 {
		args = append(args, "-ldflags=-randlayout="+strconv.Itoa(v.Layout))
	}

	if b.Probe && b.Unprobed == "" && strings.Contains(goflags, "-overlay") {
		b.Unprobed = "GOFLAGS has an overlay already"
	}
	if b.Probe && b.Unprobed == "" {
		list, err := overlay(filepath.Join(b.Workshop.Dir, "probe-"+filepath.Base(version)), goroot)
		if err == nil {
			with := append(args[:len(args):len(args)], "-overlay="+list, ".")
			_, err = run(ctx, p.Dir, env, "go", with...)
		}
		if err == nil || ctx.Err() != nil {
			return binary, checkBinary(binary, err)
		}
		// Either the helper does not fit this version of Go, or the package does not compile at all.
		if _, plain := run(ctx, p.Dir, env, "go", append(args, ".")...); plain != nil {
			return "", plain
		}
		b.Unprobed = fmt.Sprintf("%s: %s", version, firstLine(err.Error()))
		return binary, checkBinary(binary, nil)
	}

	_, err = run(ctx, p.Dir, env, "go", append(args, ".")...)
	return binary, checkBinary(binary, err)
}

// checkBinary returns an error if the go command made no binary, as happens if no test file takes part in the
// build.
func checkBinary(binary string, err error) error {
	if err != nil {
		return err
	}
	if _, err := os.Stat(binary); err != nil {
		return errors.New("the package has no test file that takes part in the build: build constraints " +
			"exclude all of them")
	}
	return nil
}

// compiler returns the version of Go that compiled the head, according to its binary; "" if the binary does not
// have it, or if there are several versions.
func (b *Bench) compiler() string {
	list := b.variants()
	if len(list) == 0 {
		return ""
	}
	head := list[len(list)-1] // the last revision
	info, err := buildinfo.ReadFile(filepath.Join(b.Binaries, head.file()))
	if err != nil || len(b.Go) > 0 {
		return ""
	}
	return info.GoVersion
}

// firstLine returns the first line of a text.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
