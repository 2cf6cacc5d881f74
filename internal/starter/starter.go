// Package starter writes a program with a workload of the user's own.
package starter

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/brewput/brewput/internal/buildinfo"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
)

// The program and its test. NAME stands for the workload's name.
var (
	//go:embed main.go.txt
	mainText string
	//go:embed main_test.go.txt
	testText string
)

// Program is a program to write. Only Name is required.
type Program struct {
	Name   string // of the directory and the workload
	Module string // path of its module; "" for example.com/NAME
	Local  string // directory with a checkout of brewput to use; "" for the brewput that this program was built from
}

// Create writes the program into a new directory. It uses no network. next is an indented line with a command that must
// run before the program can be built, and what it downloads; "" if there is none, because the modules that brewput
// requires are known: from its source, or from the module cache. Errors are a [*plan.Refusal] unless a disk failed.
func (p Program) Create() (next string, err error) {
	if err := p.check(); err != nil {
		return "", err
	}
	b, dir := buildinfo.Here(), sources()
	if dir == "" {
		b, dir = cached(b, moduleCache(os.Getenv))
	}
	files, err := p.module(b, dir)
	if err != nil {
		return "", asRefusal(err)
	}
	files["main.go"] = strings.ReplaceAll(mainText, "NAME", p.Name)
	files["main_test.go"] = testText
	if err := os.Mkdir(p.Name, 0o777); err != nil {
		return "", asRefusal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(p.Name, name), []byte(text), 0o666); err != nil {
			return "", errors.Join(err, os.RemoveAll(p.Name)) // so that the user can repeat the command
		}
	}
	if files["go.sum"] != "" {
		return "", nil
	}
	if released(b) {
		return fmt.Sprintf("  go mod tidy  # downloads %s %s, which the module cache lacks\n", buildinfo.Module,
			b.Version), nil
	}
	return fmt.Sprintf("  go mod tidy  # downloads the latest %s; the option local uses a checkout instead\n",
		buildinfo.Module), nil
}

// asRefusal makes a refusal of an error that occurred before anything was written, unless a disk failed.
func asRefusal(err error) error {
	if store.IsStorageFailure(err) {
		return err
	}
	return plan.AsRefusal(err)
}

// released reports whether a program was built from a version that is published.
func released(b buildinfo.Build) bool {
	return strings.HasPrefix(b.Version, "v") && !strings.Contains(b.Version, "+")
}

// sources is the directory of the source that this program was built from; "" if it is gone.
func sources() string {
	_, file, _, _ := runtime.Caller(0)
	root := filepath.Dir(filepath.Dir(filepath.Dir(file)))
	if !filepath.IsAbs(root) || !isSource(root) { // -trimpath makes it relative
		return ""
	}
	return root
}

// isSource reports whether a directory holds the source of brewput.
func isSource(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "brewput.go"))
	return err == nil
}

// module returns go.mod, and go.sum if it is known: with the checkout that the user gave, with the published module
// that b was built from, or else with the source in dir. dir is "" if that is gone.
func (p Program) module(b buildinfo.Build, dir string) (files map[string]string, err error) {
	replaced := p.Local
	if replaced != "" {
		if replaced, err = filepath.Abs(replaced); err != nil {
			return nil, err
		}
		if !isSource(replaced) {
			return nil, plan.Refuse("local", strconv.Quote(p.Local), "no brewput checkout is there")
		}
		dir = replaced
	} else if b.Sum == "" || !released(b) {
		replaced = dir
	}

	path := p.Module
	if path == "" {
		path = "example.com/" + p.Name
	}
	version, goLine, indirect, sums := "v0.0.0", "1.26", "", ""
	if dir != "" {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err != nil {
			return nil, err
		}
		goLine, indirect = requirements(string(text))
		sum, err := os.ReadFile(filepath.Join(dir, "go.sum"))
		if err != nil {
			return nil, err
		}
		sums = string(sum)
		if replaced == "" {
			sums += fmt.Sprintf("%s %s %s\n%s %s/go.mod %s\n", buildinfo.Module, b.Version, b.Sum, buildinfo.Module,
				b.Version, modSum(text))
		}
	}
	mod := fmt.Sprintf("module %s\n\ngo %s\n", path, goLine)
	switch {
	case replaced == "" && released(b):
		version = b.Version
		fallthrough
	case replaced != "":
		mod += fmt.Sprintf("\nrequire %s %s\n", buildinfo.Module, version)
	}
	mod += indirect
	if replaced != "" {
		mod += fmt.Sprintf("\nreplace %s => %s\n", buildinfo.Module, modString(replaced))
	}
	files = map[string]string{"go.mod": mod}
	if sums != "" {
		files["go.sum"] = sums
	}
	return files, nil
}

// requirements returns the version of Go that a go.mod names, and all its requirements as indirect ones.
func requirements(mod string) (goVersion, indirect string) {
	inside := false
	for line := range strings.Lines(mod) {
		words := strings.Fields(strings.Split(line, "//")[0])
		switch {
		case len(words) == 0:
		case words[0] == ")":
			inside = false
		case len(words) == 1: // no valid line
		case words[0] == "go":
			goVersion = words[1]
		case words[0] == "require" && words[1] == "(":
			inside = true
		case inside && len(words) == 2:
			indirect += "\t" + words[0] + " " + words[1] + " // indirect\n"
		}
	}
	if indirect != "" {
		indirect = "\nrequire (\n" + indirect + ")\n"
	}
	return goVersion, indirect
}

// modSum is the checksum of a go.mod as go.sum has it (Hash1 of golang.org/x/mod/sumdb/dirhash).
func modSum(text []byte) string {
	list := fmt.Sprintf("%x  go.mod\n", sha256.Sum256(text))
	sum := sha256.Sum256([]byte(list))
	return "h1:" + base64.StdEncoding.EncodeToString(sum[:])
}

// programName matches names that can be a folder, a workload and a package path.
var programName = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)

// check refuses names that Go or brewput would refuse, and a directory that exists.
func (p Program) check() error {
	switch {
	case strings.ContainsAny(p.Name, `/\`):
		return plan.Refuse("", nil, "%q is a path, and new takes the name of a folder that it makes here: use "+
			"lower-case letters, digits, - and _, as in mybench", p.Name)
	case !programName.MatchString(p.Name):
		return plan.Refuse("", nil, "%q cannot be a workload's name: use lower-case letters, digits, - and _, "+
			"beginning with a letter", p.Name)
	case p.Module != "" && !goodModule(p.Module):
		return plan.Refuse("module", strconv.Quote(p.Module), "is not a module's path: Go takes letters, digits, -, "+
			"., _ and ~ between slashes, no - or ~ first, and no names that Windows keeps for itself").
			Suggest("as in {module} example.com/%s", p.Name)
	}
	if _, err := os.Lstat(p.Name); err == nil {
		return plan.Refuse("", nil, "%s exists already; choose another name", p.Name)
	} else if !os.IsNotExist(err) {
		return asRefusal(err)
	}
	return nil
}

// modulePattern matches the module paths that new takes, a subset of those that Go takes: elements of letters, digits
// and some punctuation between slashes, none of which begins or ends with a dot.
var modulePattern = regexp.MustCompile(`^[A-Za-z0-9_~-]([A-Za-z0-9._~-]*[A-Za-z0-9_~-])?(/[A-Za-z0-9_~-]([A-Za-z0-9._~-]*[A-Za-z0-9_~-])?)*$`)

// reserved matches elements that Go refuses: names of devices and short names of files on Windows.
var reserved = regexp.MustCompile(`(?i)^(con|prn|aux|nul|(com|lpt)[1-9])(\.|$)|^[^.]*~[0-9]+(\.|$)`)

// goodModule reports whether Go takes a path for a module and its program.
func goodModule(path string) bool {
	return modulePattern.MatchString(path) && !strings.ContainsRune("-~", rune(path[0])) &&
		!slices.ContainsFunc(strings.Split(path, "/"), reserved.MatchString) &&
		!slices.Contains([]string{"std", "cmd", "all"}, path)
}

// modString is a path as go.mod writes it: quoted if it has characters with a meaning there.
func modString(path string) string {
	special := func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"'`(),[]{}=>", r) }
	if strings.ContainsFunc(path, special) || strings.Contains(path, "//") {
		return strconv.Quote(path)
	}
	return path
}
