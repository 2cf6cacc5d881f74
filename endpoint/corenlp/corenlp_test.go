package corenlp_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/endpoint/corenlp"
	"github.com/brewput/brewput/endpoint/corenlp/standin"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/cli"
	"github.com/brewput/brewput/internal/workloadtest"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// TestMain runs this program as the child of a trial, or as Java: the tests give its path as --java.
func TestMain(m *testing.M) {
	if standin.Serves(os.Args[1:]) {
		os.Exit(standin.Run(os.Args[1:], os.Getenv(standin.Mode), os.Stderr))
	}
	trial.Main(corenlp.Workload())
	os.Exit(m.Run())
}

// given returns the options with which the stand-in takes the place of Java.
func given(t *testing.T) workload.Given {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := standin.Install(dir); err != nil {
		t.Fatal(err)
	}
	return workload.Given{"java": {program}, "jars": {dir}}
}

// run runs a trial of a design with 60 requests, or as many as the settings say.
func run(t *testing.T, g workload.Given, design string, settings ...string) trial.Outcome {
	t.Helper()
	w, err := corenlp.Workload().With(g)
	if err != nil {
		t.Fatal(err)
	}
	p := workloadtest.Point(t, w, append([]string{"threads=2"}, settings...)...)
	if err := w.Check(p); err != nil {
		t.Fatal(err)
	}
	d, ok := w.Find(design)
	if !ok {
		t.Fatal("no design", design)
	}
	o, err := trial.Runner{TimeLimit: time.Minute}.Run(t.Context(), trial.Spec{Workload: w.Name, Design: design,
		Given: g, Point: p.Only(w.FactorsOf(d)), Seed: 1, BurnRate: 1, Operations: 60})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestRight checks that trials at all levels of annotators and lengths have numbers.
func TestRight(t *testing.T) {
	g := given(t)
	for _, settings := range []string{"annotators=pos", "annotators=parse", "annotators=depparse", "length=5",
		"length=10", "length=40 annotators=depparse", "length=40 workers=8"} {
		o := run(t, g, "server", settings)
		if o.Trial.Status != result.OK || o.Trial.Metrics.Get("error_share") != 0 ||
			o.Trial.Metrics.Get("status_200") < 60 {
			t.Errorf("%s: %s %s\n%s\n%v", settings, o.Trial.Status, o.Trial.Error, o.Failure, o.Trial.Metrics)
		}
	}
}

// TestWrong checks that replies of another annotator are wrong answers, whoever swapped it, and that the error shows
// the difference.
func TestWrong(t *testing.T) {
	g := given(t)
	for settings, want := range map[string]string{
		"annotators=parse": `wrong tree of "The old barista who opened the shop this morning has already served ` +
			`twenty guests because the new machine works well.": nothing, not (ROOT (S`,
		"annotators=depparse length=10": `: (ROOT (S (NP (DT The) (JJ new) (NN barista))`,
		"annotators=pos length=5":       `: (ROOT`,
	} {
		for design, mode := range map[string]string{"swapped": "", "server": standin.Swapped} {
			t.Setenv(standin.Mode, mode)
			o := run(t, g, design, settings)
			_, number := o.Trial.Metrics[result.Throughput]
			if o.Trial.Status != result.Wrong || !strings.Contains(o.Trial.Error, want) || number {
				t.Errorf("%s, %s: %s %s\n%s", design, settings, o.Trial.Status, o.Trial.Error, o.Failure)
			}
		}
	}
}

// TestFailures checks the error of each failure of a server, and that nothing of it is left.
func TestFailures(t *testing.T) {
	g := given(t)
	for mode, want := range map[string]string{
		standin.Refuses: "Could not create the Java Virtual Machine",
		standin.Fails:   "the first request failed: POST",
		standin.Dies:    "java.lang.OutOfMemoryError: Java heap space",
	} {
		t.Setenv(standin.Mode, mode)
		o := run(t, g, "server", "length=5")
		if o.Trial.Status != result.Failed || !strings.Contains(o.Trial.Error, want) {
			t.Errorf("%s: %s %s\n%s", mode, o.Trial.Status, o.Trial.Error, o.Failure)
		}
		if left := running(t, g.Get("jars")); left != nil {
			t.Errorf("%s: still running: %q", mode, left)
		}
	}
}

// TestSilent checks the error of servers that are never ready or never reply, with shorter limits than those of the
// workload, and that nothing of them is left.
func TestSilent(t *testing.T) {
	g := given(t)
	w, err := corenlp.Workload().With(g)
	if err != nil {
		t.Fatal(err)
	}
	p := workloadtest.Point(t, w, "length=5")
	for _, c := range []struct {
		mode           string
		start, timeout time.Duration
		want           string
	}{
		{standin.NeverReady, 300 * time.Millisecond, time.Hour, "was not ready within 300ms"},
		{standin.Hangs, time.Minute, 300 * time.Millisecond, "the first request failed: POST"},
	} {
		t.Setenv(standin.Mode, c.mode)
		s, err := corenlp.ServiceOf(g, p)
		if err != nil {
			t.Fatal(err)
		}
		if s.StartLimit < time.Minute || s.Timeout < time.Minute || s.Timeout > time.Hour {
			t.Errorf("limits %v and %v", s.StartLimit, s.Timeout)
		}
		s.StartLimit, s.Timeout = c.start, c.timeout
		if _, err := s.Stream(env.Env{}, p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.mode, err)
		}
		if left := running(t, g.Get("jars")); left != nil {
			t.Errorf("%s: still running: %q", c.mode, left)
		}
	}
}

// running returns the command lines that contain a text, where there is /proc.
func running(t *testing.T, text string) (found []string) {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/cmdline") // empty for a zombie
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		line, _ := os.ReadFile(name) // the process may have ended
		if bytes.Contains(line, []byte(text)) {
			found = append(found, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return found
}

// TestMissing checks that the command says what is missing, and stores nothing.
func TestMissing(t *testing.T) {
	g := given(t)
	dir := t.TempDir()
	damaged := filepath.Join(dir, "damaged")
	if err := os.Mkdir(damaged, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := standin.Install(damaged); err != nil {
		t.Fatal(err)
	}
	models := filepath.Join(damaged, "stanford-corenlp-4.5.7-models.jar")
	if err := os.Truncate(models, 7); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want string }{
		{"--jars " + dir, "CoreNLP 4.5.7 (6 files, 485 MB; needs Java 8 or later) is not installed: " +
			filepath.Join(dir, "stanford-corenlp-4.5.7.jar") + " is missing; fetch them by make corenlp, or go run " +
			"github.com/brewput/brewput/tools/corenlp@latest, or give their directory: --jars DIR"},
		{"--jars " + damaged, models + " has 7 bytes, not 474412047"},
		{"--java nojava", `--java: exec: "nojava": executable file not found in $PATH; install Java 8`},
		{"--length 7", "--length 7 has no stored sentence; give one of 5, 10, 20, 40"},
		{"--heap 2x", `--heap "2x" is no size of a heap; give megabytes or gigabytes, as in 512m or 2g`},
		{"--annotators ner", `"ner"`},
		{"--threads 0", "--threads"},
	} {
		stored := filepath.Join(dir, "stored")
		args := []string{"run", "corenlp", "-o", stored}
		for name, values := range g {
			if !strings.HasPrefix(c.args, "--"+name) {
				args = append(args, "--"+name, values[0])
			}
		}
		var out, problem bytes.Buffer
		code := cli.Run(t.Context(), []*workload.Workload{corenlp.Workload()}, append(args, strings.Fields(c.args)...),
			nil, &out, &problem)
		if _, err := os.Stat(stored); code != 2 || !strings.Contains(problem.String(), c.want) || err == nil {
			t.Errorf("%s: exit %d, stored %v: %s", c.args, code, err == nil, problem.String())
		}
	}
}

// TestOptions checks that a factor is no option, and that an option has one value. Package catalog checks the
// declaration.
func TestOptions(t *testing.T) {
	if _, err := corenlp.Workload().With(workload.Given{"heap": {"2g"}}); err == nil {
		t.Error("a factor is an option")
	}
	var r *plan.Refusal
	_, err := corenlp.Workload().With(workload.Given{"java": {"a", "b"}})
	if !errors.As(err, &r) || r.Field != "java" {
		t.Error(err)
	}
}

// TestSentences checks that the stored parses are whole: a tag and a dependency for each token, one root, a tree with
// the words of the sentence, and SBARQ below the root of questions.
func TestSentences(t *testing.T) {
	all := corenlp.Sentences()
	if len(all) != 8 {
		t.Errorf("%d sentences", len(all))
	}
	for _, s := range all {
		tokens := strings.Fields(s.Text[:len(s.Text)-1])
		if len(tokens) != s.Words || strings.Join(tokens, " ") != s.Text[:len(s.Text)-1] {
			t.Errorf("%q has %d words, not %d", s.Text, len(tokens), s.Words)
		}
		tokens = append(tokens, s.Text[len(s.Text)-1:])
		tags := strings.Fields(s.Tags)
		if len(tags) != len(tokens) {
			t.Errorf("%q: %d tags of %d tokens", s.Text, len(tags), len(tokens))
		}
		root := "(ROOT (S "
		if strings.HasSuffix(s.Text, "?") {
			root = "(ROOT (SBARQ "
		}
		var leaves []string
		for part := range strings.SplitSeq(s.Tree, "(") {
			if word, _, ends := strings.Cut(part, ")"); ends {
				leaves = append(leaves, strings.Fields(word)[1])
			}
		}
		if !strings.HasPrefix(s.Tree, root) || strings.Count(s.Tree, "(") != strings.Count(s.Tree, ")") ||
			!slices.Equal(leaves, tokens) {
			t.Errorf("%q: its tree is %s", s.Text, s.Tree)
		}
		for _, stored := range []string{s.Parse, s.Depparse} {
			roots, dependent := 0, map[int]bool{}
			for d := range strings.FieldsSeq(stored) {
				var governor, n int
				_, numbers, _ := strings.Cut(d, "(")
				if _, err := fmt.Sscanf(numbers, "%d,%d)", &governor, &n); err != nil || n < 1 || n > len(tokens) ||
					governor < 0 || governor > len(tokens) || governor == 0 != strings.HasPrefix(d, "ROOT(") {
					t.Errorf("%q: dependency %s: %v", s.Text, d, err)
				}
				dependent[n] = true
				if governor == 0 {
					roots++
				}
			}
			if roots != 1 || len(dependent) != len(tokens) {
				t.Errorf("%q: %d roots and %d dependent tokens in %s", s.Text, roots, len(dependent), stored)
			}
		}
	}
}
