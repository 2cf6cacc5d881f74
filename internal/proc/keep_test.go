package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// printArgument is a variable that makes the test binary print its last argument and the variable.
const printArgument = "PROC_TEST_PRINT"

// TestMain lets the test binary be a keeper, unless a test wants a program that is none.
func TestMain(m *testing.M) {
	if os.Getenv("PROC_TEST_UNHOOKED") != "" {
		os.Stdout.WriteString("PASS\n")
		os.Exit(0)
	}
	if IsKeeper() {
		os.Exit(ServeKeeper(os.Stdin, os.Stdout, os.Stderr))
	}
	if text, ok := os.LookupEnv(printArgument); ok {
		os.Stdout.WriteString(os.Args[len(os.Args)-1] + text)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// keptSelf returns the command of this test binary that lists its tests.
func keptSelf(out *Ends) Command {
	return Command{Path: os.Args[0], Args: []string{os.Args[0], "-test.list=^TestKeep$"}, Env: os.Environ(),
		Stdout: out, Grace: time.Hour}
}

// TestKeep checks a program that ends by itself, with its output.
func TestKeep(t *testing.T) {
	var out Ends
	k, err := keptSelf(&out).Keep(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if status := k.Status(); status != "exit status 0" || out.String() != "TestKeep\n" {
		t.Errorf("%q, %q", status, out.String())
	}
	if err := k.Stop(); err != nil {
		t.Error(err)
	}
}

// TestKeepFails checks programs that cannot start, a context that is over, and a main function without a keeper.
func TestKeepFails(t *testing.T) {
	c := keptSelf(&Ends{})
	c.Path = "./no such program"
	if _, err := c.Keep(t.Context()); err == nil || !strings.Contains(err.Error(), "./no such program") {
		t.Error(err)
	}

	c = keptSelf(&Ends{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if k, err := c.Keep(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", k, err)
	}

	t.Setenv("PROC_TEST_UNHOOKED", "1")
	if _, err := c.Keep(t.Context()); !errors.Is(err, errNoKeeper) {
		t.Error(err)
	}
	t.Setenv(keeperVariable, "1")
	if _, err := c.Keep(t.Context()); !errors.Is(err, errNoKeeper) {
		t.Errorf("in a keeper: %v", err)
	}
}

// TestServeKeeper checks a keeper without orders, such as one that was started by hand.
func TestServeKeeper(t *testing.T) {
	for _, in := range []string{"", "{}", "milk\n"} {
		var out strings.Builder
		if code := ServeKeeper(strings.NewReader(in), &out, os.Stderr); code != 1 ||
			!strings.Contains(out.String(), "BREWPUT_KEEPER is set by hand; unset it") {
			t.Errorf("%q: %d, %s", in, code, out.String())
		}
	}
}

// TestUserEnv checks that a program gets the user's environment back, also from the child of a trial.
func TestUserEnv(t *testing.T) {
	for _, c := range []struct{ given, trial []string }{
		{[]string{"A=1", "GOMAXPROCS=3"},
			[]string{"A=1", "BREWPUT_GIVEN_GOMAXPROCS=3", "GOMAXPROCS=8", "BREWPUT_TRIAL=x"}},
		{[]string{"A=1", "B"}, []string{"A=1", "B", "GOMAXPROCS=8", "BREWPUT_TRIAL=x"}},
	} {
		got := TrialEnv(c.given, "8", "x")
		if !slices.Equal(got, c.trial) {
			t.Errorf("of a trial: %q, want %q", got, c.trial)
		}
		got = append(got, keeperVariable+"=1", keptVariable+"=1")
		slices.Reverse(got)
		got = UserEnv(got)
		slices.Sort(got)
		if !slices.Equal(got, c.given) {
			t.Errorf("of the user: %q, want %q", got, c.given)
		}
		if got := UserEnv(c.given); !slices.Equal(got, c.given) {
			t.Errorf("%q becomes %q", c.given, got)
		}
	}
}

// TestKeepRawText checks that arguments and variables need not be UTF-8.
func TestKeepRawText(t *testing.T) {
	var out Ends
	c := keptSelf(&out)
	c.Args = append(c.Args, "\xff\xfe")
	c.Env = append(c.Env, printArgument+"=\xfd")
	k, err := c.Keep(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if status := k.Status(); status != "exit status 0" || out.String() != "\xff\xfe\xfd" {
		t.Errorf("%q, %q", status, out.String())
	}
	if err := k.Stop(); err != nil {
		t.Error(err)
	}
}

// TestEnds checks the kept text, and that small writes to full ends move it rarely.
func TestEnds(t *testing.T) {
	var e Ends
	e.Write([]byte(strings.Repeat("a", keptBytes)))
	e.Write([]byte(strings.Repeat("b", keptBytes)))
	moved := 0
	for range keptBytes {
		before := e.lost
		e.Write([]byte("c"))
		if e.lost != before {
			moved++
		}
	}
	if moved > 1 {
		t.Errorf("the text was moved %d times", moved)
	}
	e.Write([]byte("dd"))
	want := fmt.Sprintf("%s\n... %d bytes left out ...\n%sdd", strings.Repeat("a", keptBytes), keptBytes+2,
		strings.Repeat("c", keptBytes-2))
	if got := e.String(); got != want || got != e.String() {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
}
