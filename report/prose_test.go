package report

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/explain"
)

// cutProse matches the lines of a page in which a sentence is cut: after a word, or before the gain of a claim.
// Commands, plots, paths and source lines end in dots without being cut prose.
var cutProse = regexp.MustCompile(
	`(?m)^ *(!|why|fix|try|[A-Za-z].*[a-z,;]) .*(\w (\.\.\.|…)( \(.*)?|\w (\.\.\.|…): saves .*)$`)

// command matches a line with a command to type.
var command = regexp.MustCompile(`brewput |go test `)

// TestNoCutProse checks that no sentence of a golden page is cut.
func TestNoCutProse(t *testing.T) {
	pages, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(pages) < 30 {
		t.Fatal(len(pages), err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range cutProse.FindAllString(unescaped(string(text)), -1) {
			if !command.MatchString(line) {
				t.Errorf("%s: %s", page, line)
			}
		}
	}
	for _, cut := range []string{"! its clock drops or it is shared …", "  why  1000 calls, 12 bytes in ...",
		"  Every pixel is a system call of its own, and most ...: saves 58%", "! stop others ... (every row)"} {
		if !cutProse.MatchString(cut) {
			t.Errorf("not matched: %s", cut)
		}
	}
}

// unescaped returns a page without its escape sequences.
func unescaped(page string) string {
	return regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(page, "")
}

// TestCutClaim checks that a claim that is too long for a narrow page keeps its gain and the fix.
func TestCutClaim(t *testing.T) {
	f := explain.Finding{Rank: 1, Name: explain.CoarseLock, Evidence: []string{"waits"},
		Claim: strings.Repeat("goroutines wait for one lock ", 9) + "at last.",
		Fix:   "Hold it only to read, and compute outside of it.",
		Gain:  &explain.Gain{Estimate: 0.4, Low: 0.1, High: 0.6}}
	var b strings.Builder
	if !writeBrief(&b, f, evidence.Program{}, Style{Width: 40}) {
		t.Error("nothing was left out")
	}
	want := "1 coarse-lock goroutines wait for one lock goroutines wait for one ...: saves 40% " +
		"fix Hold it only to read, and compute outside of it."
	if got := strings.Join(strings.Fields(b.String()), " "); got != want || strings.Count(b.String(), "\n") > 5 {
		t.Errorf("%s\nwant %s", &b, want)
	}
}

// TestClauses checks that evidence is cut after the last clause that fits, but not to its label.
func TestClauses(t *testing.T) {
	long := strings.Repeat(" and so on", 8)
	for text, want := range map[string]string{
		"two wait for it; one holds it":                         "two wait for it; one holds it",
		"two goroutines wait for it: one holds it;" + long:      "two goroutines wait for it: one holds it",
		"two goroutines wait: one holds it" + long:              "two goroutines wait",
		"lock: one goroutine holds it" + long:                   "lock: one goroutine holds it" + long,
		"lock: one goroutine holds it at a.go:7: x(): y" + long: "lock: one goroutine holds it at a.go:7",
	} {
		if got := clauses(text, 60); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestFifthEvidence checks that the page says that it shows only four lines of evidence below no finding. A cause has
// one anyway.
func TestFifthEvidence(t *testing.T) {
	for _, c := range []struct {
		name    explain.Name
		n       int
		leftOut bool
	}{{explain.None, 4, false}, {explain.None, 5, true}, {explain.CoarseLock, 5, false}} {
		f := explain.Finding{Rank: 1, Name: c.name, Claim: "A claim.", Evidence: strings.Fields("a b c d e")[:c.n]}
		var b strings.Builder
		if got := writeBrief(&b, f, evidence.Program{}, Style{Width: 80}); got != c.leftOut {
			t.Errorf("%s with %d: left out: %v\n%s", c.name, c.n, got, &b)
		}
	}
}

// TestWholeClauses checks what a finding leaves out: clauses of the evidence first, then the experiment, then the
// evidence. If the evidence must go, the experiment may stay. What is left are whole sentences, on at most five lines.
func TestWholeClauses(t *testing.T) {
	const claim, fix, try = "One lock is held for most of the running time.", "Hold it only to read.", "Remove it."
	long := strings.TrimSpace(strings.Repeat("a sentence without any sign ", 4))
	const sentence = "a sentence without any sign "
	for _, c := range []struct {
		claim, evidence, want string
		leftOut               bool
	}{
		{claim, "goroutines wait for it; most at a.go:12: x := f(a); y()",
			claim + " why goroutines wait for it; most at a.go:12: x := f(a); y() fix " + fix + " try " + try, false},
		{claim, "goroutines wait for it most of the time; most at main.go:12: for i := 0; i < n; i++ { x += i }",
			claim + " why goroutines wait for it most of the time; most at main.go:12 fix " + fix + " try " + try,
			true},
		{claim, "main.go:12: " + long, claim + " why main.go:12: " + long + " fix " + fix, true},
		{claim, long, claim + " why " + long + " fix " + fix, true},
		{long, long, long + " fix " + fix + " try " + try, true}, // without the experiment it would still be too long
		{long + " " + long, long, long + " " + long + " fix " + fix, true},
		{claim, "it waits for the lock: " + strings.Repeat(sentence, 12),
			claim + " why it waits for the lock fix " + fix + " try " + try, true},
		{strings.Repeat(sentence, 16), long, strings.Repeat(sentence, 8) + "a ... fix " + fix, true},
	} {
		c.want = "1 coarse-lock " + c.want
		f := explain.Finding{Rank: 1, Name: explain.CoarseLock, Claim: c.claim, Evidence: []string{c.evidence},
			Fix: fix, Experiment: try}
		var b strings.Builder
		leftOut := writeBrief(&b, f, evidence.Program{}, Style{Width: 80})
		got := strings.Join(strings.Fields(b.String()), " ")
		if n := strings.Count(b.String(), "\n"); n > 5 || got != c.want || leftOut != c.leftOut {
			t.Errorf("left out: %v, %d lines:\n%s\nwant %s", leftOut, n, &b, c.want)
		}
	}
}
