//go:build linux

package main

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brewput/brewput/tools/hostile"
)

func TestMain(m *testing.M) {
	if name, ok := os.LookupEnv(userVariable); ok {
		userMain(name)
	}
	os.Exit(m.Run())
}

// TestSiege attacks the command with a fiftieth of each area's attempts.
func TestSiege(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the command")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "brewput")
	if out, err := exec.Command("go", "build", "-pgo=off", "-buildvcs=false", "-o", program,
		"../../cmd/brewput").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for _, ar := range list() {
		t.Run(ar.name, func(t *testing.T) {
			c := campaign{program: program, record: filepath.Join(dir, ar.name+".ndjson"), areas: []string{ar.name},
				share: 0.01, seed: 1, n: 2, stderr: io.Discard}
			table, err := c.start(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			if r := table[0]; r.n != ar.full/100 || r.bad > 0 {
				t.Errorf("%d attempts of %d:\n%s", r.n, ar.full/100, table.text())
			}
		})
	}
}

// TestKilled finds an ignored interrupt, and a failed call that should have removed what a killed one left.
func TestKilled(t *testing.T) {
	for _, c := range []struct {
		name string
		r    ran
		want int
	}{
		{"run", ran{code: 130, after: 3 * time.Second}, 0},
		{"run", ran{code: 0, after: maxAfterInterrupt / 10}, 0},
		{"run", ran{code: 0, after: 2 * maxAfterInterrupt}, 1},
		{"help", ran{code: 0, after: 2 * maxAfterInterrupt}, 0},
		{"run", ran{code: 2, after: maxAfterInterrupt / 10}, 1},
		{"run", ran{code: -1, signal: 9}, 0}, // judge finds it
	} {
		a := new(attempt)
		if a.judgeExit(c.name, c.r); len(a.Found) != c.want {
			t.Errorf("interrupted %s, %+v: %q", c.name, c.r, a.Found)
		}
	}
	for _, c := range []struct {
		name string
		r    ran
		want int
	}{
		{"bench", ran{}, 0},
		{"bench", ran{code: 2, stderr: "brewput: no room"}, 1},
		{"explain", ran{code: 2, stderr: "brewput: " + notThere}, 0},
		{"explain", ran{code: 2, stderr: "brewput: no room"}, 1},
		{"explain", ran{stderr: notThere}, 1},
	} {
		a := new(attempt)
		if a.judgeRemoval(c.name, c.r); len(a.Found) != c.want {
			t.Errorf("after %s was killed, %+v: %q", c.name, c.r, a.Found)
		}
	}
}

// TestContinue checks that a campaign continues where it stopped, and that attempts depend only on seed and index.
func TestContinue(t *testing.T) {
	dir := t.TempDir()
	program, draws := filepath.Join(dir, "program"), map[int]uint64{}
	if err := os.WriteFile(program, []byte("x"), 0o700); err != nil {
		t.Fatal(err)
	}
	stop := 3
	ar := area{name: "test", full: 10, alone: true, open: func(context.Context, *campaign) (attack, error) {
		return func(_ context.Context, a *attempt) error {
			if _, again := draws[a.Index]; again {
				t.Errorf("attempt %d is made again", a.Index)
			}
			if stop == 0 {
				return io.ErrUnexpectedEOF
			}
			stop--
			draws[a.Index] = a.rng.Uint64()
			if a.Index == 4 {
				a.find("a fault")
				a.find("a fault")
			}
			return nil
		}, nil
	}}
	begin := func() (*campaign, error) {
		c := &campaign{program: program, record: filepath.Join(dir, "r.ndjson"), share: 1, seed: 7, n: 2,
			stderr: io.Discard}
		err := c.open("")
		if err != nil {
			return c, err
		}
		wanted, err := c.wanted(ar, "")
		if err != nil {
			return c, err
		}
		return c, c.attack(t.Context(), ar, wanted)
	}
	if c, err := begin(); err != io.ErrUnexpectedEOF || len(c.done) != 3 {
		t.Fatalf("%d attempts, %v", len(c.done), err)
	}
	stop = 100
	c, err := begin()
	r := tally(ar, c.done, 10, 7)
	if err != nil || r.n != 10 || r.bad != 1 || len(r.finds[0].Found) != 1 || len(draws) != 10 {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, err := os.Stat(filepath.Join(r.finds[0].Kept, "cwd")); err != nil {
		t.Error(err)
	}
	record, err := os.ReadFile(c.record)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.record, record[:len(record)-5], 0o666); err != nil {
		t.Fatal(err)
	}
	last := c.done[len(c.done)-1].Index
	delete(draws, last)
	if c, err := begin(); err != nil || len(c.done) != 10 || len(draws) != 10 {
		t.Errorf("after a record without its end: %d attempts, %v", len(c.done), err)
	}
	if again, err := os.ReadFile(c.record); err != nil || bytes.Count(again, []byte("\n")) != 10 {
		t.Errorf("the record is %s, %v", again, err)
	}
	if want := (rand.New(rand.NewPCG(7^hashOf("test"), 4))).Uint64(); draws[4] != want {
		t.Errorf("attempt 4 draws %d, want %d", draws[4], want)
	}
	if err := os.WriteFile(program, []byte("y"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := begin(); err == nil || !strings.Contains(err.Error(), "another build") {
		t.Errorf("a record of another build: %v", err)
	}
}

// TestJudge checks that judge finds what no command may do, and nothing else.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		r    ran
		want string
	}{
		{ran{code: 2, stderr: "brewput: no\n"}, ""},
		{ran{code: 130}, ""},
		{ran{code: 2}, "without a message"},
		{ran{code: 5, stderr: "x"}, "exit 5"},
		{ran{code: -1, signal: 2, stderr: "x"}, "killed by signal"},
		{ran{hung: true}, "still runs"},
		{ran{stdout: "a\x1bb"}, "raw"},
		{ran{stdout: "a\u202eb"}, "raw"},
		{ran{stdout: "a\xffb"}, "raw"},
		{ran{stdout: "µ 日本\t\n"}, ""},
		{ran{code: 2, stderr: "panic: index out of range\n\ngoroutine 1 [running]:\n"}, "panic"},
	} {
		a := new(attempt)
		a.judge(c.r, false)
		found := strings.Join(a.Found, "; ")
		if (found == "") != (c.want == "") || !strings.Contains(found, c.want) {
			t.Errorf("%+v: found %q, want %q", c.r, found, c.want)
		}
	}
	crash, own := "panic: x\n\ngoroutine 1 [running]:\n", "github.com/brewput/brewput/"
	for text, want := range map[string]int{
		crash + "main.main()\n":                                                           0,
		crash + own + "report.Table()\n\t/x.go:1\nmain.main()\n":                          1,
		crash + own + "tools/hostile.Workload.func2()\n" + own + "internal/cli.Main()\n":  0,
		crash + "main.main()\n\ngoroutine 2 [running]:\n" + own + "internal/cli.Main()\n": 0,
		crash + "main.main()\n\n" + crash +
			"github.com/brewput/brewput/compare.Rows()\n": 1,
		"fatal error: x\n\ngoroutine 1 [running]:\nmain.f()\ncreated by github.com/brewput/brewput/report.F\n": 0,
	} {
		a := new(attempt)
		if a.judge(ran{code: 2, stderr: text}, true); len(a.Found) != want {
			t.Errorf("a program's crash %q: found %q", text, a.Found)
		}
	}
	for i, text := range []string{hostile.Forged, strings.TrimSpace(hostile.Forged), strconv.Quote(hostile.Forged)} {
		for _, r := range []ran{{stdout: text}, {stderr: text}} {
			a := new(attempt)
			if a.findForged(r); (len(a.Found) > 0) != (i < 2) {
				t.Errorf("%q counts as a forged line: %q", text, a.Found)
			}
		}
	}
	for _, c := range []struct {
		r, want ran
		noticed bool
	}{
		{ran{code: 2, stderr: "x\nbrewput: damaged\n"}, ran{stderr: "x\n"}, true},
		{ran{code: 3, stderr: "brewput: slower\n"}, ran{}, false},
		{ran{code: 2}, ran{}, false},
		{ran{stderr: "note: run lost its end\n"}, ran{}, true},
		{ran{stderr: "warning: the load has not settled\n"}, ran{}, false},
		{ran{stderr: "warning: checksum\n"}, ran{stderr: "warning: checksum\n"}, false},
		{ran{stderr: "4 checksums\n"}, ran{stderr: "3 checksums\n"}, false},
	} {
		if got := noticed(c.r, c.want); got != c.noticed {
			t.Errorf("%+v instead of %+v counts as a notice: %t", c.r, c.want, got)
		}
	}
	if !slices.Equal(kindsOf(t, 0.02), []int{0, 7, 4, 1}) {
		t.Errorf("the short campaign kills %v", kindsOf(t, 0.02))
	}
}

// TestValidate checks that -only accepts the names of attempts, -areas those of areas, and nothing else.
func TestValidate(t *testing.T) {
	c := &campaign{areas: []string{"lines", "names"}}
	for only, good := range map[string]bool{"": true, "lines:999": true, "lines:1000": false, "lines:-1": false,
		"lines": false, "lines:1x": false,
		"kills:1": false, "line:1": false} {
		if err := c.validate(only); (err == nil) != good {
			t.Errorf("-only %q: %v", only, err)
		}
	}
	c.areas = append(c.areas, "line")
	if err := c.validate(""); err == nil || !strings.Contains(err.Error(), `there is no area "line"`) {
		t.Errorf("-areas lines,names,line: %v", err)
	}
}

// kindsOf returns the kinds of kills at a share.
func kindsOf(t *testing.T, share float64) (kinds []int) {
	t.Helper()
	c := &campaign{share: share}
	at := slices.IndexFunc(list(), func(ar area) bool { return ar.name == "kills" })
	indices, err := c.wanted(list()[at], "")
	if err != nil {
		t.Fatal(err)
	}
	for _, index := range indices {
		kinds = append(kinds, index%10)
	}
	return kinds
}

// TestListens checks that this process listens only to a signal that it has requested, and sleep to none.
func TestListens(t *testing.T) {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGINT)
	defer signal.Stop(asked)
	if !listens(os.Getpid(), syscall.SIGINT) {
		t.Error("a program that requested SIGINT counts as not listening")
	}
	if listens(os.Getpid(), syscall.SIGUSR2) {
		t.Error("a program that did not request SIGUSR2 counts as listening to it")
	}
	cmd := exec.Command("sleep", "300")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	if listens(cmd.Process.Pid, syscall.SIGINT) {
		t.Error("sleep counts as listening to SIGINT")
	}
}

// TestCode checks that a campaign passes only if no attempt is left, and that a find counts at once.
func TestCode(t *testing.T) {
	for want, x := range map[int]table{0: {{planned: 2, n: 2}, {planned: 1, n: 3}}, 1: {{planned: 2, n: 1, bad: 1}},
		3: {{planned: 2, n: 3}, {planned: 2, n: 1}}} {
		if got := x.code(); got != want {
			t.Errorf("%+v: exit %d, want %d", x, got, want)
		}
	}
}

// TestLeftOfAnotherShare checks that attempts which another share made do not count as attempts of this one.
func TestLeftOfAnotherShare(t *testing.T) {
	ar := area{name: "lines", full: 1000}
	c := &campaign{share: 0.05, seed: 1}
	indices, err := c.wanted(ar, "")
	if err != nil || len(indices) != 50 {
		t.Fatalf("%d attempts, %v", len(indices), err)
	}
	for _, i := range indices {
		c.done = append(c.done, outcome{Area: ar.name, Index: i})
	}
	if r, err := c.row(ar); err != nil || (table{r}).left() != 0 {
		t.Errorf("after all attempts: %+v, %v", r, err)
	}
	c.share = 0.06
	rest, err := c.wanted(ar, "")
	if r, err2 := c.row(ar); err != nil || err2 != nil || len(rest) <= 10 || (table{r}).left() != len(rest) {
		t.Errorf("of another share: %+v, %d left, %v, %v", r, len(rest), err, err2)
	}
}
