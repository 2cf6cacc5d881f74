package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brewput/brewput/tools/repository"
)

// fakeBrewput stands for the program: it writes its arguments to the file arguments, appends BREWPUT_CONFIG to the
// summary, prints a page that tries to give the runner a command, and exits with the code of the variable CODE.
const fakeBrewput = `#!/bin/sh
printf '%s\n' "$@" >"$RUNNER_TEMP/arguments"
printf 'config=%s\n' "$BREWPUT_CONFIG" >>"$GITHUB_STEP_SUMMARY"
echo '::warning::from the program'
echo '| page |'
exit $CODE
`

// job is one run of the script of the action.
type job struct {
	code                    int
	stdout, output, summary string
	arguments               []string
	temp, workspace         string
}

// runAction runs the script in a repository with variables in addition to those of a valid run.
func runAction(t *testing.T, variables ...string) job {
	t.Helper()
	script, err := filepath.Abs(filepath.Join("..", "..", ".github", "gate.sh"))
	if err != nil {
		t.Fatal(err)
	}
	j := job{temp: t.TempDir(), workspace: t.TempDir()}
	if err := repository.Make(t.Context(), j.workspace, map[string]string{"a.go": "package a\n"}); err != nil {
		t.Fatal(err)
	}
	brewput := filepath.Join(j.temp, "brewput")
	if err := os.WriteFile(brewput, []byte(fakeBrewput), 0o755); err != nil {
		t.Fatal(err)
	}
	output, summary := filepath.Join(j.temp, "output"), filepath.Join(j.temp, "summary")

	cmd := exec.CommandContext(t.Context(), "bash", script)
	cmd.Dir = j.workspace
	cmd.Env = append(os.Environ(), "RUNNER_TEMP="+j.temp, "GITHUB_OUTPUT="+output, "GITHUB_STEP_SUMMARY="+summary,
		"BREWPUT="+brewput, "BASE=HEAD", "CODE=0", "PACKAGES=./...", "MAX_REGRESSION=5%", "BENCH=.", "METRICS=ns/op",
		"BUDGET=5m", "ALLOW=", "UNDECIDED=warn")
	cmd.Env = append(cmd.Env, variables...)
	text, _ := cmd.CombinedOutput()
	j.code, j.stdout = cmd.ProcessState.ExitCode(), string(text)

	j.output, j.summary = readIfExists(t, output), readIfExists(t, summary)
	j.arguments = strings.Split(strings.TrimSuffix(readIfExists(t, filepath.Join(j.temp, "arguments")), "\n"), "\n")
	return j
}

func readIfExists(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(data)
}

// TestActionCodes checks the exit code and the output for each exit code of gate.
func TestActionCodes(t *testing.T) {
	for _, test := range []struct {
		code, undecided string
		want            int
		result, text    string
	}{
		{"0", "warn", 0, "pass", ""},
		{"1", "warn", 1, "regression", "::error title=brewput gate::benchmarks regressed by more than 5%25;"},
		{"3", "warn", 0, "undecided", "::warning title=brewput gate::undecided; the summary of this job gives"},
		{"3", "fail", 3, "undecided", "::error title=brewput gate::undecided; the summary of this job gives"},
		{"2", "warn", 2, "error", "(exit code 2)"},
		{"4", "warn", 4, "error", "(exit code 4)"},
		{"130", "warn", 130, "error", "(exit code 130)"},
	} {
		j := runAction(t, "CODE="+test.code, "UNDECIDED="+test.undecided)
		if j.code != test.want || !strings.Contains(j.output, "result="+test.result+"\n") ||
			!strings.Contains(j.stdout, test.text) {
			t.Errorf("gate exits with %s, undecided %s: exit %d, outputs %q, printed\n%s", test.code, test.undecided,
				j.code, j.output, j.stdout)
		}
		if !strings.Contains(j.output, "directory="+filepath.Join(j.temp, "brewput-gate")+"\n") ||
			!strings.Contains(j.summary, "| page |") {
			t.Errorf("gate exits with %s: outputs %q, summary %q", test.code, j.output, j.summary)
		}
	}
}

// TestActionArguments checks that every input reaches the program whole, and none is run, split or taken for an option.
func TestActionArguments(t *testing.T) {
	hostile := "$(touch made) `touch made`; touch made\n--base=x ${BASE} 'a' \"b\" *"
	j := runAction(t, "PACKAGES=./a  ./b/...\n* $(touch${IFS}made)", "MAX_REGRESSION="+hostile, "BENCH="+hostile,
		"METRICS=B/op,allocs/op", "BUDGET=1m", "ALLOW=-slow.txt")
	want := []string{"gate", "--base=HEAD"}
	want = append(want, strings.Split("--max-regression="+hostile, "\n")...)
	want = append(want, strings.Split("--bench="+hostile, "\n")...)
	want = append(want, "--metric=B/op,allocs/op", "--budget=1m",
		"--output="+filepath.Join(j.temp, "brewput-gate", "run"), "--format=md",
		"--allow=-slow.txt", "--", "./a", "./b/...", "*", "$(touch${IFS}made)")
	if got := strings.Join(j.arguments, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("arguments:\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	if _, err := os.Stat(filepath.Join(j.workspace, "made")); !os.IsNotExist(err) {
		t.Errorf("an input was run as a command: %v", err)
	}

	// Between the two markers the runner takes no commands.
	_, rest, _ := strings.Cut(j.stdout, "::stop-commands::")
	token, rest, _ := strings.Cut(rest, "\n")
	page, _, found := strings.Cut(rest, "\n::"+token+"::\n")
	if len(token) != 32 || !found || !strings.Contains(page, "::warning::from the program") {
		t.Errorf("the page is not between markers:\n%s", j.stdout)
	}
}

// TestActionDefaultLimit checks that the error names the limit that applies if the input is empty.
func TestActionDefaultLimit(t *testing.T) {
	j := runAction(t, "MAX_REGRESSION=", "CODE=1")
	if !strings.Contains(j.stdout, "regressed by more than 5%25;") ||
		!strings.Contains(strings.Join(j.arguments, " "), "--max-regression=5%") {
		t.Errorf("arguments %q, printed\n%s", j.arguments, j.stdout)
	}
}

// TestActionRefuses checks inputs that the script refuses before it runs anything.
func TestActionRefuses(t *testing.T) {
	for _, test := range []struct{ variable, want string }{
		{"UNDECIDED=ignore", "'ignore' is neither warn nor fail"},
		{"BASE=", "input base is empty"},
		{"BASE=--output=x", "'--output=x' is not a revision"},
		{"BASE=a\n::error::b", "::error title=brewput gate::input base: 'a%0A::error::b' is not a revision"},
		{"BASE=no-such-branch", "could not be fetched; check out with fetch-depth: 0"},
		{"PACKAGES=./a --base=x", "'--base=x' is not a package"},
	} {
		j := runAction(t, test.variable)
		if j.code != 2 || !strings.Contains(j.stdout, test.want) || j.arguments[0] != "" ||
			j.output != "result=error\n" {
			t.Errorf("%q: exit %d, arguments %q, outputs %q, printed\n%s", test.variable, j.code, j.arguments, j.output,
				j.stdout)
		}
	}
}

// TestActionIgnoresConfig checks that brewput.conf of a pull request sets nothing, whatever the job's environment says.
func TestActionIgnoresConfig(t *testing.T) {
	for _, variable := range []string{"X=", "BREWPUT_CONFIG=", "BREWPUT_CONFIG=on"} {
		if j := runAction(t, variable); !strings.Contains(j.summary, "config=off\n") {
			t.Errorf("%s: %s", variable, j.summary)
		}
	}
}

// TestActionFetches checks that the base of a pull request is fetched into a shallow clone.
func TestActionFetches(t *testing.T) {
	origin := t.TempDir()
	if err := repository.Make(t.Context(), origin, map[string]string{"a.go": "package a\n"}); err != nil {
		t.Fatal(err)
	}
	git(t, origin, "checkout", "-q", "-b", "feature")
	git(t, origin, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "b")
	shallow := filepath.Join(t.TempDir(), "clone")
	git(t, origin, "clone", "-q", "--depth=1", "--branch=feature", "file://"+filepath.ToSlash(origin), shallow)
	base := gitText(t, origin, "rev-parse", "HEAD~1")

	j := runAction(t, "BASE="+base, "GIT_DIR="+filepath.Join(shallow, ".git"))
	if j.code != 0 || len(j.arguments) < 2 || j.arguments[1] != "--base="+base {
		t.Errorf("exit %d, arguments %q, printed\n%s", j.code, j.arguments, j.stdout)
	}
	if got := gitText(t, shallow, "rev-parse", "FETCH_HEAD"); got != base {
		t.Errorf("fetched %s, not %s", got, base)
	}
}

// TestActionUsesVariables checks that no expression of the workflow is inside a script of the action.
func TestActionUsesVariables(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	for line := range strings.Lines(string(data)) {
		if _, script, found := strings.Cut(line, "run: "); found {
			runs++
			if strings.Contains(script, "${{") || strings.HasPrefix(script, "|") || strings.HasPrefix(script, ">") {
				t.Errorf("the script holds an expression, or is not one line: %s", script)
			}
		}
	}
	if runs != 1 {
		t.Errorf("the action has %d scripts, not 1", runs)
	}
}
