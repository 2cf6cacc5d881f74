package cli

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

func (a *app) newCommand() *cobra.Command {
	var module, local string
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Create a program with a workload of your own, in the folder NAME",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("new takes one name, as in new mybench")
			}
			return a.newProgram(args[0], module, local)
		},
	}
	cmd.Flags().StringVar(&module, "module", "", "module `PATH` (default example.com/NAME)")
	cmd.Flags().StringVar(&local, "local", "", "use the brewput checkout in `DIR` instead of the published module")
	return cmd
}

// starter is the program that new writes. NAME stands for the workload's name.
//
//go:embed starter.go.txt
var starter string

// programName matches names that can be a folder, a workload and a package path.
var programName = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)

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

func (a *app) newProgram(dir, module, local string) error {
	switch {
	case strings.ContainsAny(dir, `/\`):
		return usage("%q is a path, and new takes the name of a folder that it makes here: use lower-case letters, "+
			"digits, - and _, as in mybench", dir)
	case !programName.MatchString(dir):
		return usage("%q cannot be a workload's name: use lower-case letters, digits, - and _, beginning with a letter",
			dir)
	}

	base := dir
	if module == "" {
		module = "example.com/" + base
	}
	if !goodModule(module) {
		return usage("--module %q is not a module's path: Go takes letters, digits, -, ., _ and ~ between slashes, "+
			"no - or ~ first, and no names that Windows keeps for itself, as in --module example.com/%s", module, base)
	}
	if exists(dir) {
		return usage("%s exists already; choose another name", dir)
	}

	mod := fmt.Sprintf("module %s\n\ngo 1.26\n", module)
	if v := version(); strings.HasPrefix(v, "v") && !strings.Contains(v, "+") && local == "" {
		mod += fmt.Sprintf("\nrequire %s %s\n", modulePath, v)
	}
	if local != "" {
		abs, err := filepath.Abs(local)
		if err != nil {
			return err
		}
		if _, err := os.Stat(filepath.Join(abs, "brewput.go")); err != nil {
			return usage("--local %q: no brewput checkout is there", local)
		}
		mod += fmt.Sprintf("\nrequire %s v0.0.0\n\nreplace %s => %s\n", modulePath, modulePath, modFileString(abs))
	}

	if err := os.MkdirAll(dir, 0o777); err != nil {
		return asUsage(err)
	}
	for file, text := range map[string]string{
		"go.mod":  mod,
		"main.go": strings.ReplaceAll(starter, "NAME", base),
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
			return err
		}
	}
	fmt.Fprintf(a.text, "wrote %s: a workload with two designs\n\n  cd %s\n  go mod tidy\n  go run . "+
		"run %s --cpus 1..2\n", filepath.Join(dir, "main.go"), dir, base)
	return nil
}

// modFileString is a path as go.mod writes it: quoted if it has characters with a meaning there.
func modFileString(path string) string {
	special := func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"'`(),[]{}=>", r) }
	if strings.ContainsFunc(path, special) || strings.Contains(path, "//") {
		return strconv.Quote(path)
	}
	return path
}
