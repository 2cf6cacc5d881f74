package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/brewput/brewput/internal/quote"
)

// same knows no aliases but one.
func same(verb, name string) string {
	if verb == "run" && name == "blocks" {
		return "count"
	}
	return name
}

func TestParse(t *testing.T) {
	s, err := Parse("brewput.conf", "# ours\n\nrun.blocks = 20 # more\r\nbench.cpus=1,2\n gate.budget = 90s\n", same)
	if err != nil || len(s) != 3 {
		t.Fatal(s, err)
	}
	if got := s[0].String(); got != "run.count = 20 (brewput.conf:3)" {
		t.Error(got)
	}
	if got, ok := s.Find("bench", "cpus"); !ok || got.Value != "1,2" || got.Place() != "brewput.conf:4" {
		t.Error(got, ok)
	}
	if got, ok := s.Find("bench", "budget"); ok {
		t.Error(got)
	}

	for text, want := range map[string]string{
		"run.count":                   `brewput.conf:1: "run.count" is not a setting`,
		"# x\nrun.output = /tmp":      `brewput.conf:2: "run.output" cannot be set in a file; for run it may set budget, count, cpus`,
		"sim.budget = 5m":             `for sim it may set count, cpus, duration, format`,
		"doctor.format = json":        `flags of run, sim, bench, gate, compare and explain`,
		"run.env = X=1":               `"run.env" cannot be set`,
		"pager = less":                `"pager = less" is not a setting`,
		"run.count = 0":               `takes a whole number, 1 or more`,
		"run.count = 010":             `takes a whole number`,
		"run.duration = -1s":          `takes a time`,
		"run.format = \x1b[31m":       `run.format = "\x1b[31m" is not possible`,
		"run.format =":                `takes the name of a format`,
		"run.cpus = 1..x":             `takes numbers of CPUs`,
		"run.count = 1\nrun.blocks=2": `brewput.conf:2: run.count is set in line 1 already`,
		"\x00":                        `"\x00" is not a setting`,
	} {
		if s, err := Parse("brewput.conf", text, same); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %s", text, s, err, want)
		}
	}
}

// TestLoad checks which files are read, in which order, and which are refused.
func TestLoad(t *testing.T) {
	module, home := t.TempDir(), t.TempDir()
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	sub, conf := filepath.Join(module, "a", "b"), filepath.Join(module, Name)
	load := func() (string, error) {
		s, err := Load(t.Context(), sub, func(key string) string { return map[string]string{"HOME": home}[key] }, same,
			func(text string) { t.Error(text) })
		var lines []string
		for _, t := range s {
			lines = append(lines, strings.ReplaceAll(t.String(), home, "~"))
		}
		return strings.Join(lines, "; "), err
	}
	want := func(want string, refused ...string) {
		t.Helper()
		got, err := load()
		if got != want || (err != nil) != (len(refused) > 0) {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
		for _, part := range refused {
			if err != nil && !strings.Contains(err.Error(), part) {
				t.Errorf("%v; want %s", err, part)
			}
		}
	}

	write(filepath.Join(sub, "x.go"), "")
	want("")
	user := filepath.Join(home, ".config", "brewput", Name)
	write(user, "run.count = 7\nrun.format = md\n")
	want("run.count = 7 (~/.config/brewput/brewput.conf:1); run.format = md (~/.config/brewput/brewput.conf:2)")
	write(conf, "run.count = 9\n") // without a go.mod it is in no module
	want("run.count = 7 (~/.config/brewput/brewput.conf:1); run.format = md (~/.config/brewput/brewput.conf:2)")
	write(filepath.Join(module, "go.mod"), "module m\n")
	want("run.count = 9 (brewput.conf:1); run.count = 7 (~/.config/brewput/brewput.conf:1); " +
		"run.format = md (~/.config/brewput/brewput.conf:2)")
	if s, _ := Load(t.Context(), sub, func(string) string { return "" }, same, nil); len(s) != 1 {
		t.Error(s)
	}
	for value, wrong := range map[string]bool{"off": false, "on": true} {
		s, err := Load(t.Context(), sub, func(key string) string {
			return map[string]string{"HOME": home, Variable: value}[key]
		}, same, nil)
		if len(s) > 0 || (err != nil) != wrong {
			t.Errorf("%s=%s: %v, %v", Variable, value, s, err)
		}
	}

	write(user, "")
	write(conf, strings.Repeat("#", 4<<10)+"\n"+strings.Repeat("# \n", 22_000))
	want("", "64 KB")
	link := func(target string) {
		if err := os.Remove(conf); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, conf); err != nil {
			t.Skip("no symbolic links here: ", err)
		}
	}
	write(filepath.Join(sub, "c.conf"), "gate.count = 50\n")
	link(filepath.Join("a", "b", "c.conf"))
	want("gate.count = 50 (brewput.conf:1)")
	link(user)
	want("", "outside its module")
	link(filepath.Join("a", "b"))
	want("", "not a regular file")
	link("nowhere")
	want("", Name)
}

// TestNoHome checks that a user without a home has no file, and that one who may not read the file is warned.
func TestNoHome(t *testing.T) {
	file := filepath.Join(t.TempDir(), "null")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, variable := range []string{"HOME", "XDG_CONFIG_HOME"} {
		getenv := func(key string) string { return map[string]string{variable: file}[key] }
		s, err := Load(t.Context(), t.TempDir(), getenv, same, func(text string) { t.Error(text) })
		if s != nil || err != nil {
			t.Errorf("%s: %v, %v", variable, s, err)
		}
	}

	warning := "" // root may read every file, so the error is made
	warn := func(text string) { warning += text }
	err := absent(&fs.PathError{Op: "open", Path: "/home/x", Err: syscall.EACCES}, "/home/x", warn)
	if err != nil || warning != "/home/x may not be read, so it sets nothing" {
		t.Errorf("%v, %q", err, warning)
	}
	if err := absent(errors.New("f:1: wrong"), "f", nil); err == nil {
		t.Error("a wrong line is accepted")
	}
}

// FuzzParse checks that every accepted setting is one that a file may set, is printable, and reads the same again.
func FuzzParse(f *testing.F) {
	f.Add("run.count = 20\n# x\nbench.cpus = 1..4 # y\nexplain.duration=5s")
	f.Add("sim.format = json\r\ngate.budget = 1h2m")
	f.Add("run.output = /etc/passwd")
	f.Add("run.format = a\x1b[2J")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := Parse("f", text, same)
		if err != nil {
			if quote.Line(err.Error()) != err.Error() || !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("%q", err)
			}
			return
		}
		var again strings.Builder
		for _, s := range all {
			if quote.Line(s.Value) != s.Value || strings.ContainsAny(s.Value, " /#=") {
				t.Errorf("the value %q is accepted", s.Value)
			}
			switch s.Flag {
			case "budget", "count", "cpus", "duration", "format":
			default:
				t.Errorf("a file sets %s.%s", s.Verb, s.Flag)
			}
			again.WriteString(s.Verb + "." + s.Flag + "=" + s.Value + "\n")
		}
		if b, err := Parse("f", again.String(), same); err != nil || len(b) != len(all) {
			t.Errorf("%q: %v", again.String(), err)
		}
	})
}
