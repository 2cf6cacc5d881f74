//go:build unix

package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brewput/brewput/evidence/collect"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/trial"
)

// asProgram makes the test binary a program that does what its arguments say.
const asProgram = "BREWPUT_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(program(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// burned is the CPU time that the program burns.
const burned = 50 * time.Millisecond

// program prints its arguments to stderr, appends them to the file log, and ends as the first one says.
func program(args []string) int {
	fmt.Fprintln(os.Stderr, strings.Join(args, " "))
	if f, err := os.OpenFile("log", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666); err == nil {
		text, _ := io.ReadAll(os.Stdin)
		fmt.Fprintf(f, "%s%s\n", strings.Join(args, " "), text)
		f.Close()
	}
	switch args[0] {
	case "exit":
		code, _ := strconv.Atoi(args[1])
		return code
	case "die":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case "hang":
		signal.Ignore(syscall.SIGTERM)
		select {}
	case "burn": // CPU time, until it has used burned of it
		for used := (syscall.Rusage{}); used.Utime.Nano()+used.Stime.Nano() < burned.Nanoseconds(); {
			syscall.Getrusage(syscall.RUSAGE_SELF, &used)
		}
		fallthrough
	case "stay": // until it is killed
		if err := os.WriteFile("ready", fmt.Appendln(nil, os.Getpid()), 0); err == nil {
			os.ReadFile("never")
		}
	case "grow":
		fmt.Fprintln(io.Discard, len(bytes.Repeat([]byte{1}, 200<<20)))
	}
	return 0
}

// runner returns a runner of the test binary with arguments for each of several commands, in a new directory.
func runner(t *testing.T, x Experiment, commands ...string) *Runner {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv(asProgram, "1")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var list [][]string
	for _, c := range commands {
		list = append(list, append([]string{exe}, strings.Fields(c)...))
	}
	for _, line := range []*string{&x.Setup, &x.Prepare} {
		if *line != "" {
			*line = Command{Words: []string{exe}}.Line() + " " + *line
		}
	}
	if err := x.Complete(list); err != nil {
		t.Fatal(err)
	}
	return &Runner{Experiment: &x}
}

func spec(design string) trial.Spec { return trial.Spec{Workload: Workload, Design: design, Seed: 1} }

// TestRun checks the order of setup, warm-up and preparation, and the record of a trial.
func TestRun(t *testing.T) {
	r := runner(t, Experiment{Setup: "set up", Prepare: "prepare", Warmups: 2}, "exit 0", "b")
	var notes []string
	r.Note = func(text string) { notes = append(notes, text) }
	for _, design := range []string{"a", "b"} {
		o, err := r.Run(t.Context(), spec(design))
		if err != nil {
			t.Fatal(err)
		}
		m := o.Trial.Metrics
		if o.Trial.Status != result.OK || !(m.Get(result.WallSeconds) > 0) || !(m.Get(result.CPUSeconds) > 0) ||
			!(m.Get(result.MaxRSS) > 1<<20) || o.Trial.WallSeconds != float64(m.Get(result.WallSeconds)) {
			t.Errorf("%+v", o.Trial)
		}
	}
	log, _ := os.ReadFile("log")
	warm := "prepare\nexit 0\nprepare\nb\n"
	if want := "set up\n" + warm + warm + "prepare\nb\nprepare\nexit 0\n"; string(log) != want {
		t.Errorf("%s, want %s", log, want)
	}
	if len(notes) != 2 || !strings.HasPrefix(notes[0], "setup: ") || notes[1] != "warm-up: 2 runs of each command" {
		t.Errorf("%q", notes)
	}
}

// TestFailures checks what a failure names, and what is no failure if failures are ignored.
func TestFailures(t *testing.T) {
	const short = 200 * time.Millisecond
	for name, c := range map[string]struct {
		x       Experiment
		command string
		want    string // error; "" for none
		tail    string
		code    int
	}{
		"status":          {Experiment{}, "exit 3", "exit 3 failed in block 1: exit status 3", "exit 3\n", 0},
		"warm-up":         {Experiment{Warmups: 1}, "exit 3", "failed in the warm-up: exit status 3", "exit 3\n", 0},
		"signal":          {Experiment{}, "die", "die failed in block 1: signal: killed", "die\n", 0},
		"limit":           {Experiment{TimeLimit: short}, "hang", "did not end within 200ms", "hang\n", 0},
		"setup":           {Experiment{Setup: "exit 2"}, "ok", "exit 2 failed: exit status 2", "exit 2\n", 0},
		"prepare":         {Experiment{Prepare: "exit 2"}, "ok", "exit 2 failed: exit status 2", "exit 2\n", 0},
		"ignored":         {Experiment{IgnoreFailure: true}, "exit 3", "", "", 3},
		"ignored signal":  {Experiment{IgnoreFailure: true}, "die", "", "", -1},
		"ignored limit":   {Experiment{IgnoreFailure: true, TimeLimit: short}, "hang", "did not end", "hang\n", 0},
		"ignored prepare": {Experiment{IgnoreFailure: true, Prepare: "exit 2"}, "ok", "exit status 2", "exit 2\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := runner(t, c.x, c.command, "other")
			o, err := r.Run(t.Context(), spec("b"))
			if c.want == "" {
				if err != nil || o.Trial.Answer.(map[string]any)["exit_code"] != c.code || len(o.Trial.Warnings) != 1 {
					t.Errorf("%+v, %v", o.Trial, err)
				}
				return
			}
			var f *collect.Failure
			if !errors.As(err, &f) || !strings.Contains(f.Reason, c.want) ||
				f.Output != c.tail && (f.Output != "" || c.x.TimeLimit == 0) { // it may be ended before it prints
				t.Errorf("%#v, want %q", err, c.want)
			}
		})
	}
}

func TestCannotStart(t *testing.T) {
	r := runner(t, Experiment{}, "a", "b")
	for word, want := range map[string]string{
		"./none": "./none a cannot start: no such file or directory", "no-such-program-here": "no such program in PATH",
		"./text": "permission denied",
	} {
		if err := os.WriteFile("text", []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
		r.Commands[0].Words[0], r.begun = word, false
		_, err := r.Run(t.Context(), spec("b"))
		var f *collect.Failure
		if !errors.As(err, &f) || !strings.Contains(f.Reason, want) {
			t.Errorf("%s: %v", word, err)
		}
	}
}

// TestInput checks that every run reads the input from its beginning, and that it is empty by default.
func TestInput(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "input")
	if err := os.WriteFile(path, []byte(" and milk"), 0o666); err != nil {
		t.Fatal(err)
	}
	r := runner(t, Experiment{Input: path, Prepare: "grind", Warmups: 1}, "x", "y")
	if _, err := r.Run(t.Context(), spec("b")); err != nil {
		t.Fatal(err)
	}
	log, _ := os.ReadFile("log")
	if want := "grind\nx and milk\ngrind\ny and milk\ngrind\nx and milk\n"; string(log) != want {
		t.Errorf("%s, want %s", log, want)
	}
	var refusal *plan.Refusal
	if err := (&Experiment{Input: dir}).Complete([][]string{{"a"}, {"b"}}); !errors.As(err, &refusal) ||
		refusal.Field != "input" {
		t.Errorf("a directory as input: %v", err)
	}
}

func TestOutput(t *testing.T) {
	r := runner(t, Experiment{}, "x", "y")
	var out bytes.Buffer
	r.Output = &out
	if _, err := r.Run(t.Context(), spec("a")); err != nil || out.String() != "y\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// TestMemory checks that the memory is that of the command: 200 MB are far above what this process has.
func TestMemory(t *testing.T) {
	r := runner(t, Experiment{}, "grow", "x")
	o, err := r.Run(t.Context(), spec("b"))
	if m := o.Trial.Metrics; err != nil || m.Get(result.MaxRSS) < 200<<20 || m.Get(result.MaxRSS) > 1<<30 ||
		m.Get(result.MemoryFloor) >= 200<<20 {
		t.Errorf("%v, %v", m, err)
	}
}

func TestInterrupt(t *testing.T) {
	r := runner(t, Experiment{}, "hang", "x")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Run(ctx, spec("b")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestChanged checks that a resumed run refuses a command that is another file now.
func TestChanged(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(text string) {
		if err := os.WriteFile("prog", []byte("#!/bin/sh\n"+text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	write("exit 0")
	x := &Experiment{}
	if err := x.Complete([][]string{{"./prog"}, {"./prog", "2"}}); err != nil {
		t.Fatal(err)
	}
	if err := (&Runner{Experiment: x}).Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	resume := func() error {
		r, all, err := Restore("dir", &sweep.Header{Commands: raw}, nil, nil)
		if err != nil || len(all) != 1 || all[0].Name != Workload {
			t.Fatal(all, err)
		}
		return r.Begin(t.Context())
	}
	if err := resume(); err != nil {
		t.Error(err)
	}
	write("exit 0 # another")
	if err := resume(); err == nil || !strings.Contains(err.Error(), "has changed since the run began") {
		t.Error(err)
	}
}

func TestDamagedHeader(t *testing.T) {
	for raw, want := range map[string]string{
		"{": "unexpected end", "{}": "fewer than two",
		`{"commands":[{"design":"b","words":["x"]},{"design":"a","words":[]}]}`:    "a command has no words",
		`{"commands":[{"design":"a","words":["x"]},{"design":"b","words":["y"]}]}`: `the design "a", not "b"`,
	} {
		if r, _, err := Restore("dir", &sweep.Header{Commands: []byte(raw)}, nil, nil); err == nil || r != nil ||
			!strings.HasPrefix(err.Error(), "dir: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", raw, err, want)
		}
	}
	if r, all, err := Restore("dir", &sweep.Header{}, nil, nil); r != nil || all != nil || err != nil {
		t.Error(r, all, err)
	}
}

// split splits a line into commands.
func split(line string) (commands [][]string) {
	for part := range strings.SplitSeq(line, ":::") {
		commands = append(commands, strings.Fields(part))
	}
	return commands
}

// TestDesigns checks that the second command is a and the first, the baseline, is b.
func TestDesigns(t *testing.T) {
	x := &Experiment{}
	words := split("./old -n 5 ::: ./new ::: ./third x")
	if err := x.Complete(words); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range x.Commands {
		got = append(got, c.Design+"="+c.Line())
	}
	if want := []string{"b=./old -n 5", "a=./new", "c=./third x"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	h, err := x.Header(sweep.Header{}, 0)
	if err != nil || h.Baseline != "b" || !h.BaselineOnly || len(h.Cases) != 3 || h.Rule != nil {
		t.Errorf("%+v, %v", h, err)
	}
	if err := x.Workload().Validate(); err != nil {
		t.Error(err)
	}
}

func TestNames(t *testing.T) {
	long := strings.Repeat("x", maxName)
	for line, want := range map[string]string{
		"./old -n 5 ::: ./new -n 5": "./new, ./old",
		"./p -n 5 ::: ./p -n 6":     "./p -n 6, ./p -n 5",
		"./p ::: ./p":               "./p (a), ./p (b)",
		"./p " + long + " ::: ./p":  "command a, command b",
	} {
		x := &Experiment{}
		if err := x.Complete(split(line)); err != nil {
			t.Fatal(err)
		}
		if n := x.Names(); n["a"]+", "+n["b"] != want {
			t.Errorf("%s: %q, want %q", line, n, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	for line, want := range map[string]string{
		"./old": "nothing to compare with", "./old :::": "command 2 of 2 has no words", "::: x": "command 1 of 2",
		strings.Repeat("x ::: ", 26) + "x": "27 commands are too many", "x ::: y\x00": "zero byte",
	} {
		var refusal *plan.Refusal
		err := new(Experiment).Complete(split(line))
		if !errors.As(err, &refusal) || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), ":::") {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
	for field, x := range map[string]*Experiment{"setup": {Setup: "a | b"}, "prepare": {Prepare: "'"},
		"warmup-runs": {Warmups: -1}, "time-limit": {TimeLimit: -1}, "input": {Input: "/no/such/file"}} {
		var refusal *plan.Refusal
		if err := x.Complete([][]string{{"a"}, {"b"}}); !errors.As(err, &refusal) || refusal.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}
