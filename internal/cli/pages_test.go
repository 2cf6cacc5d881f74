package cli_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/brewput/brewput/catalog"
	"github.com/brewput/brewput/internal/cli"
)

// short is a run that takes no time.
const short = "sim coffee --designs locking,finelocking --cpus 2 --jitter 1us --duration 10ms --stage 10us --count 6"

// screen is the number of lines of a small terminal.
const screen = 24

// pages are default pages that must end with their answer on a small terminal. A verb that prints a page has a line
// here.
var pages = []struct {
	name   string
	before []string // commands that make what the page needs
	args   string
	answer string // regular expression of the last paragraph, with its line breaks replaced by spaces
}{
	{"sim of CPUs", nil, "sim coffee --designs locking,finelocking,linearpipe --cpus 1,2,4 --cost none -o cpus",
		`^On 2 and 4 CPUs, finelocking and linearpipe are fastest, and equally fast: 2.00x to 4.00x the ` +
			`throughput of locking; on 1 CPU, locking, finelocking and linearpipe are equally fast. More CPUs help ` +
			`finelocking and linearpipe up to the 4 tried \(4.00x from 1\); more CPUs do not help locking.$`},
	{"sim of one design", nil, "sim coffee --designs locking --cpus 1,2 --cost none -o one",
		`^locking reaches 250/s.* More CPUs do not help locking.$`},
	{"sim of one design with random costs", nil, "sim coffee --designs locking --cpus 1,2 -o random",
		`^locking reaches 250/s on [12] CPUs? \(rough: 1 replication\)\. More CPUs do not help locking\.$`},
	{"sim of one replication with jitter", nil,
		"sim coffee --designs locking,finelocking --cpus 4 --jitter 2ms --cost none --duration 1s -o jitter",
		`^Rough, from 1 trial each and without verdicts: finelocking about [23]\.\dx as fast as locking.$`},
	{"sim of a job", nil, "sim null --designs job --cpus 1 --cost none -o job", `.`},
	{"sim of an open loop", nil,
		"sim coffee --designs locking,finelocking --cpus 2 --load 0.5,0.9 --jitter 1ms --count 6 --duration 1s " +
			"--cost none -o open",
		`^At load 0.5 and 0.9, finelocking is fastest: it responds 1\.\d\dx to \d\.\d\dx as fast as locking.$`},
	{"sim of many factors", nil,
		"sim coffee --designs finelocking,linearpipe,multi --cpus 1..4 --workers 1,8 --buffer 0,10 --cost none " +
			"--duration 100ms -o many", `\.$`},
	{"run", nil, "run null --cpus 1 --operations 1000 --count 2 --no-twin -o live",
		`^stream reaches .*/s \(rough: 2 blocks\). job takes .*s \(rough: 2 blocks\).$`},
	{"quick run", nil,
		"run words --quick --size 20000 --designs one-byte,buffered --duration 20ms --cpus 1 --no-twin -o quick",
		`^buffered about [\d.]+x as fast as one-byte \(rough: 3 blocks\).$`},
	{"list", nil, "list", `^Type brewput list coffee for the designs and factors of a workload\.$`},
	{"doctor", nil, "doctor --quick", `^(Fit for measuring|Not fit for measuring|No check is bad)\b.*\.$`},
	{"explain", nil, "explain numbers.prof", `^Change unbuffered-io first, at .*main.go:16 in main: that should ` +
		`save about 23% of the wall time \(20% to 25%\)\. Use bufio\.NewWriter.*\.$`},
	{"bench", nil, "bench ./counter --count 2 --duration 1ms --cpus 1 -o bench",
		`^2 benchmarks: (all .*|fastest (One|Two) .*/op, slowest (One|Two) .*/op)\.$`},
	{"stored run of benchmarks", []string{"bench ./counter --bench One --count 2 --duration 20x --cpus 1,2 -o bench"},
		"show bench", `^From 1 to 2 CPUs, 1 of 1 .*\.$`},
	{"gate", nil, "gate ./counter --base HEAD --max-regression 0% --metric allocs/op --duration 1ms --count 2 -o gate",
		`^gate: pass: all 2 within 0%\.$`},
	{"stored gate", []string{"gate ./counter --base HEAD --max-regression 0% --bench One --metric allocs/op " +
		"--duration 1ms --count 2 -o gate"}, "show gate", `^gate: pass: 1 of 1 within 0%\.$`},
	{"compare", []string{short + " --cost none -o old", short + " --cost lock=1us -o new"},
		"compare old new", `^The new run is slower in [12] of 2 cases: .*%\)(; .*)?.$`},
}

// writeModule writes a module with benchmarks, in a repository if git is installed, and a profile.
func writeModule(t *testing.T, profile []byte) {
	t.Helper()
	for name, text := range map[string]string{
		"go.mod":       "module example.com/pages\n\ngo 1.26\n",
		"numbers.prof": string(profile),
		"counter/counter_test.go": "package counter\n\nimport \"testing\"\n\nvar n int\n\n" +
			"func BenchmarkOne(b *testing.B) {\n\tfor b.Loop() {\n\t\tn++\n\t}\n}\n\n" +
			"func BenchmarkTwo(b *testing.B) {\n\tfor b.Loop() {\n\t\tn += 2\n\t}\n}\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range []string{"init -q", "add -A", "-c user.name=a -c user.email=a@b commit -q -m base"} {
		if out, err := exec.Command("git", strings.Fields(args)...).CombinedOutput(); err != nil {
			t.Logf("git %s: %v: %s", args, err, out)
		}
	}
}

// needsTools reports whether a command of brewput runs go and git.
func needsTools(args string) bool {
	return strings.HasPrefix(args, "bench") || strings.HasPrefix(args, "gate")
}

// TestPagesEndWithTheAnswer checks that the last paragraph of each page is its answer, in words that are right, and
// that the answer fits a small terminal of 80 columns.
func TestPagesEndWithTheAnswer(t *testing.T) {
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	_, noGit := exec.LookPath("git")
	noTools := testing.Short() || err != nil || noGit != nil
	t.Setenv("GOCACHE", strings.TrimSpace(string(cache)))
	t.Setenv("GOFLAGS", "")
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	profile, err := os.ReadFile(filepath.Join("..", "..", "lab", "testdata", "numbers.prof"))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("NO_COLOR", "1")
	t.Setenv("COLUMNS", "80")
	t.Setenv("LANG", "C.UTF-8")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, p := range pages {
		t.Run(p.name, func(t *testing.T) {
			commands := slices.Concat(p.before, []string{p.args})
			if noTools && slices.ContainsFunc(commands, needsTools) {
				t.Skip("go or git is not installed, or the test is short")
			}
			t.Chdir(t.TempDir())
			writeModule(t, profile)
			var stdout, stderr bytes.Buffer
			for _, args := range commands {
				stdout.Reset()
				code := cli.Run(context.Background(), catalog.All(), strings.Fields(args), strings.NewReader(""),
					&stdout, &stderr)
				if code != 0 {
					t.Fatalf("brewput %s exits with %d:\n%s", args, code, &stderr)
				}
			}
			paragraphs := strings.Split(strings.TrimSuffix(stdout.String(), "\n"), "\n\n")
			last := strings.Split(paragraphs[len(paragraphs)-1], "\n")
			if !regexp.MustCompile(p.answer).MatchString(strings.Join(last, " ")) || len(last) > screen {
				t.Errorf("the page ends with\n%s\nwant %s in at most %d lines", strings.Join(last, "\n"), p.answer,
					screen)
			}
			for _, part := range []string{": resources", ": core-seconds", " against ", ": latency  box", "checksum"} {
				if strings.Contains(stdout.String(), part) {
					t.Errorf("the default page has the part %q:\n%s", part, &stdout)
				}
			}
		})
	}
}
