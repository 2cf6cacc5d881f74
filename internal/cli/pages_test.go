package cli_test

import (
	"bytes"
	"context"
	"regexp"
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
			`throughput of locking; on 1 CPU, locking, finelocking and linearpipe are equally fast. More CPUs help finelocking and ` +
			`linearpipe up to the 4 tried \(4.00x from 1\); more CPUs do not help locking.$`},
	{"sim of one design", nil, "sim coffee --designs locking --cpus 1,2 --cost none -o one",
		`^locking reaches 250/s.* More CPUs do not help locking.$`},
	{"sim of one replication with jitter", nil,
		"sim coffee --designs locking,finelocking --cpus 4 --jitter 2ms --cost none --duration 1s -o jitter",
		`^Rough, from 1 trial each and without verdicts: finelocking about [23]\.\dx locking.$`},
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
		`^buffered about \d+x one-byte, rough: 3 blocks.$`},
	{"compare", []string{short + " --cost none -o old", short + " --cost lock=1us -o new"},
		"compare old new", `^The new run is slower in [12] of 2 cases: .*%\)(; .*)?.$`},
}

// TestPagesEndWithTheAnswer checks that the last paragraph of each page is its answer, in words that are right, and
// that the answer fits a small terminal of 80 columns.
func TestPagesEndWithTheAnswer(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	t.Setenv("COLUMNS", "80")
	t.Setenv("LANG", "C.UTF-8")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, p := range pages {
		t.Run(p.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			var stdout, stderr bytes.Buffer
			for _, args := range append(p.before, p.args) {
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
