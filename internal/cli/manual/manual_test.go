package manual_test

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/brewput/brewput/catalog"
	"github.com/brewput/brewput/internal/cli"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/tools/cachetest"
	"github.com/brewput/brewput/tools/repository"
	"github.com/brewput/brewput/tools/schematest"
)

func TestMain(m *testing.M) {
	lab.Main(catalog.All()...) // runs the trials of the tests
	os.Exit(cachetest.Main{M: m}.Run())
}

// TestManual executes the console blocks of the manual.
//
// A line that begins with "$ brewput" is a command, "# exit 2" after it is its exit code if not 0, and the lines up
// to the next command are its output. Numbers are not compared, because they differ from run to run, except those of
// virtual time. A line "..." stands for any number of lines. With -update the test writes the numbers of virtual time
// into the pages.
func TestManual(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join("..", "..", "..", "docs", "manual", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("no manual: %v", err)
	}
	for _, page := range pages {
		t.Run(filepath.Base(page), func(t *testing.T) {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			source, err := filepath.Abs(page)
			if err != nil {
				t.Fatal(err)
			}
			t.Setenv("NO_COLOR", "1")
			t.Setenv("COLUMNS", "100")
			t.Setenv("LANG", "C.UTF-8")
			program, err := filepath.Abs(filepath.Join("testdata", "dedupe"))
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(t.TempDir())
			if strings.Contains(string(text), " ./... --base HEAD") {
				writeProgram(t, program)
			}
			commands := consoleCommands(string(text))
			if len(commands) == 0 {
				t.Error("the page shows no command")
			}
			for i := range commands {
				commands[i].check(t)
			}
			if updated := rewrite(string(text), commands); *update && updated != string(text) {
				if err := os.WriteFile(source, []byte(updated), 0o644); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// writeProgram makes the repository of the first chapters in the current directory: a program, and an uncommitted
// change of one of its files.
func writeProgram(t *testing.T, dir string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	if err := os.CopyFS(".", os.DirFS(filepath.Join(dir, "base"))); err != nil {
		t.Fatal(err)
	}
	if err := repository.Make(t.Context(), ".", nil); err != nil {
		t.Fatal(err)
	}
	changed, err := os.ReadFile(filepath.Join(dir, "head", "set.go"))
	if err == nil {
		err = os.WriteFile("set.go", changed, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestPicture checks that the picture of the README is what its command draws.
func TestPicture(t *testing.T) {
	docs, err := filepath.Abs(filepath.Join("..", "..", "..", "docs", "kitchen.svg"))
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join("..", "..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^    brewput (sim .* --timeline) docs/kitchen\.svg$`).FindSubmatch(readme)
	if line == nil {
		t.Fatal("the README does not say how its picture is made")
	}
	want, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	var stderr bytes.Buffer
	args := append(strings.Fields(string(line[1])), "kitchen.svg", "-o", "run")
	if code := cli.Run(t.Context(), catalog.All(), args, nil, io.Discard, &stderr); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr.String())
	}
	got, err := os.ReadFile("kitchen.svg")
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("docs/kitchen.svg is not what the command draws now; make it again (%v)", err)
	}
}

var update = flag.Bool("update", false, "write what sim prints now into the manual")

// console is a command of the manual and its output on the page.
type console struct {
	line    string
	code    int
	printed []string
	prints  []string // current output of a command in virtual time, after the check
}

// rewrite replaces lines of a page by what its commands print now, if only numbers differ.
func rewrite(page string, commands []console) string {
	for _, c := range commands {
		at := 0
		for _, was := range c.printed {
			for k := at; k < len(c.prints); k++ {
				if loosely(was)[0] == loosely(c.prints[k])[0] {
					page = strings.Replace(page, "\n"+was+"\n", "\n"+c.prints[k]+"\n", 1)
					at = k + 1
					break
				}
			}
		}
	}
	return page
}

func consoleCommands(page string) []console {
	var list []console
	inside := false
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "```console":
			inside = true
		case strings.HasPrefix(line, "```"):
			inside = false
		case inside && strings.HasPrefix(line, "$ "):
			command, comment, _ := strings.Cut(line[2:], "  # exit ")
			code, _ := strconv.Atoi(comment)
			list = append(list, console{line: command, code: code})
		case inside && len(list) > 0:
			last := &list[len(list)-1]
			last.printed = append(last.printed, line)
		}
	}
	return list
}

func (c *console) check(t *testing.T) {
	t.Helper()
	args := strings.Fields(c.line)
	if args[0] != "brewput" {
		t.Errorf("the manual's command %q is not brewput's", c.line)
		return
	}
	var stdout, stderr bytes.Buffer
	code := cli.Run(context.Background(), catalog.All(), args[1:], strings.NewReader(""), &stdout, &stderr)
	if code != c.code {
		t.Errorf("$ %s\nexits %d, not %d:\n%s", c.line, code, c.code, stderr.String())
		return
	}
	v, err := schematest.New()
	if err == nil {
		err = v.Output(stdout.Bytes())
	}
	if err != nil {
		t.Error(err)
	}
	alike := loosely
	if args[1] == "sim" {
		alike = unspaced
		c.prints = strings.Split(strings.TrimRight(stderr.String()+stdout.String(), "\n"), "\n")
	}
	got := alike(stderr.String() + stdout.String())
	at, skip := 0, false
	for _, want := range c.printed {
		if strings.TrimSpace(want) == "..." {
			skip = true
			continue
		}
		w := alike(want)[0]
		for at < len(got) && skip && got[at] != w {
			at++
		}
		if at >= len(got) || got[at] != w {
			t.Errorf("$ %s\ndoes not print (numbers apart, where it measures)\n  %s\nbut\n%s%s", c.line, want,
				stderr.String(), stdout.String())
			return
		}
		at++
		skip = false
	}
}

var (
	numbers = regexp.MustCompile(`[0-9]+(\.[0-9]+)?(ns|µs|us|ms|s|k|M|m|x|[kMG]?B)?\b`)
	spaces  = regexp.MustCompile(`[\s─]+`)
)

// loosely returns the lines of a text with all numbers and all runs of blanks replaced.
func loosely(text string) []string {
	lines := unspaced(text)
	for i, l := range lines {
		l = numbers.ReplaceAllString(l, "#")
		lines[i] = regexp.MustCompile(`#[smh#]*`).ReplaceAllString(l, "#") // 1m30s
	}
	return lines
}

// unspaced returns the lines of a text with runs of blanks replaced.
func unspaced(text string) []string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSpace(spaces.ReplaceAllString(l, " "))
	}
	return lines
}

func TestManualIsRewritten(t *testing.T) {
	page := "```console\n$ brewput sim a\n...\nmean 3.5ms of 2\nother\n```\n"
	c := consoleCommands(page)
	c[0].prints = []string{"median 1ms of 2", "mean 4.25ms of 2", "another"}
	if got, want := rewrite(page, c), strings.Replace(page, "3.5ms", "4.25ms", 1); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestManualIsChecked(t *testing.T) {
	c := consoleCommands("```console\n$ brewput a  # exit 2\nsays 3.5ms\n...\n$ brewput b\n```\n$ brewput no\n")
	if len(c) != 2 || c[0].code != 2 || c[0].line != "brewput a" || len(c[0].printed) != 2 || c[1].line != "brewput b" {
		t.Errorf("%+v", c)
	}
	if a, b := loosely("took  12.5ms of 3")[0], loosely("took 1µs of 300")[0]; a != b {
		t.Errorf("%q and %q differ", a, b)
	}
	if a, b := loosely("took 1 lap")[0], loosely("took 1 laps")[0]; a == b {
		t.Errorf("%q and %q are alike", a, b)
	}
}
