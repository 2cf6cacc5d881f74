// Package config reads brewput.conf, which holds defaults of flags: lines such as
//
//	run.count = 20   # blocks
//
// A file comes from the root of the module in which brewput runs, which may be a stranger's repository. So a file sets
// nothing but how often and how long, on how many CPUs, and the format of the output: no command, path or address.
package config

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/plan"
)

// Name is the name of the file in the root of a module, and in $XDG_CONFIG_HOME/brewput.
const Name = "brewput.conf"

// Variable is the environment variable that switches the files off.
const Variable = "BREWPUT_CONFIG"

// allowed are the flags that a file may set, by verb.
var allowed = map[string][]string{
	"run":     {"budget", "count", "cpus", "duration", "format"},
	"sim":     {"count", "cpus", "duration", "format"},
	"bench":   {"budget", "count", "cpus", "duration", "format"},
	"gate":    {"budget", "count", "cpus", "duration", "format"},
	"compare": {"budget", "count", "format"},
	"explain": {"cpus", "duration", "format"},
}

// Sets reports whether files may set flags of a verb.
func Sets(verb string) bool { return allowed[verb] != nil }

// Setting is a line of a file.
type Setting struct {
	Verb, Flag, Value string
	File              string // as it is shown: the path in the module, or the whole path
	Line              int    // from 1 on
}

// Place is the file and line, as in brewput.conf:3.
func (s Setting) Place() string { return fmt.Sprintf("%s:%d", s.File, s.Line) }

// String is the setting with its place, for notes.
func (s Setting) String() string {
	return fmt.Sprintf("%s.%s = %s (%s)", s.Verb, s.Flag, s.Value, s.Place())
}

// Settings are the lines of all files, the module's first. The first setting of a flag is valid.
type Settings []Setting

// Find returns the setting of a verb's flag.
func (s Settings) Find(verb, flag string) (Setting, bool) {
	for _, t := range s {
		if t.Verb == verb && t.Flag == flag {
			return t, true
		}
	}
	return Setting{}, false
}

// Load reads the file of the module that holds the directory dir, and that of the user: neither if the variable
// [Variable] is off, so that a pull request cannot change how its own benchmarks are judged. Files that do not exist
// set nothing. flag returns the name of a verb's flag for an alias. Errors name the file, and the line if one is wrong.
// warn receives a warning if the user's file sets nothing because it may not be read.
func Load(ctx context.Context, dir string, getenv func(string) string, flag func(verb, name string) string,
	warn func(text string)) (Settings, error) {
	switch v := getenv(Variable); v {
	case "":
	case "off":
		return nil, nil
	default:
		return nil, fmt.Errorf("the environment variable %s=%s is not possible: set it to off, or unset it", Variable,
			v)
	}
	var all Settings
	read := func(path, shown string) error {
		text, err := input.ReadFile(ctx, path, input.Config)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		s, err := Parse(shown, string(text), flag)
		all = append(all, s...)
		return err
	}

	path, err := inModule(dir)
	if err == nil && path != "" {
		err = read(path, Name)
	}
	if user := userFile(getenv); err == nil && user != "" {
		err = absent(read(user, user), user, warn)
	}
	if err != nil {
		return nil, err
	}
	return all, nil
}

// absent returns nil in place of the error of the user's file if that cannot exist, because a directory of its path is
// a file, as in the home /dev/null of system users, or if the user may not read it, which it warns of.
func absent(err error, path string, warn func(text string)) error {
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		return nil
	case errors.Is(err, fs.ErrPermission):
		warn(path + " may not be read, so it sets nothing")
		return nil
	}
	return err
}

// inModule returns the path of the file in the root of the module that holds a directory, or "" if there is none. A
// link that leaves the module is refused.
func inModule(dir string) (string, error) {
	for root := dir; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			return within(root)
		}
		if root == filepath.Dir(root) {
			return "", nil
		}
	}
}

// within returns the path of the file in a directory, after links.
func within(root string) (string, error) {
	link := filepath.Join(root, Name)
	if _, err := os.Lstat(link); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	path, err := filepath.EvalSymlinks(link)
	if err != nil {
		return "", fmt.Errorf("%s: %w", link, err)
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return "", err
	}
	if inside, err := filepath.Rel(root, path); err != nil || !filepath.IsLocal(inside) {
		return "", input.Refuse("%s is a link to a file outside its module: write the settings into it", link)
	}
	return path, nil
}

// userFile returns the path of the user's own file, or "" if the environment names no place for it.
func userFile(getenv func(string) string) string {
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "brewput", Name)
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "brewput", Name)
	}
	return ""
}

// Parse parses the text of a file, which errors and settings show by this name. flag returns the name of a verb's flag
// for an alias.
func Parse(name, text string, flag func(verb, name string) string) (Settings, error) {
	var all Settings
	n := 0
	for line := range strings.Lines(text) {
		n++
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		s, err := parseLine(line, flag)
		if old, ok := all.Find(s.Verb, s.Flag); ok {
			err = fmt.Errorf("%s.%s is set in line %d already; remove one of them", s.Verb, s.Flag, old.Line)
		}
		if err != nil {
			return nil, errors.New(quote.Line(fmt.Sprintf("%s:%d: %v", name, n, err)))
		}
		s.File, s.Line = name, n
		all = append(all, s)
	}
	return all, nil
}

func parseLine(line string, flag func(verb, name string) string) (Setting, error) {
	key, value, ok := strings.Cut(line, "=")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	verb, name, dotted := strings.Cut(key, ".")
	switch {
	case !ok || !dotted:
		return Setting{}, fmt.Errorf("%q is not a setting; write verb.flag = value, as in run.count = 20", line)
	case allowed[verb] == nil:
		return Setting{}, fmt.Errorf("%q cannot be set; a file sets flags of run, sim, bench, gate, compare and "+
			"explain", key)
	case !slices.Contains(allowed[verb], flag(verb, name)):
		return Setting{}, fmt.Errorf("%q cannot be set in a file; for %s it may set %s", key, verb,
			strings.Join(allowed[verb], ", "))
	}
	s := Setting{Verb: verb, Flag: flag(verb, name), Value: value}
	if takes := s.check(); takes != "" {
		return Setting{}, fmt.Errorf("%s = %q is not possible: it takes %s", key, value, takes)
	}
	return s, nil
}

var number, word = regexp.MustCompile(`^[1-9][0-9]{0,8}$`), regexp.MustCompile(`^[a-z]+$`)

// check returns what a flag takes if the value is something else. The verb knows more, such as its formats.
func (s Setting) check() string {
	switch s.Flag {
	case "count":
		if !number.MatchString(s.Value) {
			return "a whole number, 1 or more"
		}
	case "format":
		if !word.MatchString(s.Value) {
			return "the name of a format, such as json"
		}
	case "cpus":
		_, err := (plan.Factor{Name: "cpus", Kind: plan.Int, Min: 1}).Parse(s.Value, nil)
		if err != nil || quote.Line(s.Value) != s.Value {
			return "numbers of CPUs, such as 1,2,4 or 1..4"
		}
	default:
		if d, err := time.ParseDuration(s.Value); err != nil || d <= 0 {
			return "a time such as 500ms or 2m"
		}
	}
	return ""
}
