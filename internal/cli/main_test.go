package cli_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/brewput/brewput"
	"github.com/brewput/brewput/catalog"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/cli"
	"github.com/brewput/brewput/internal/plugin"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/tools/cachetest"
	"github.com/brewput/brewput/tools/schematest"
	"github.com/brewput/brewput/workload"
)

// asCommand makes the test binary the command brewput, for tests that send it signals.
const asCommand = "BREWPUT_TEST_COMMAND"

func TestMain(m *testing.M) {
	if isMisbehave() { // also in the environment of a trial
		misbehave()
	}
	all := append(catalog.All(), faulty(), yards(), kiosk())
	lab.Main(all...) // runs the trials of the tests
	if os.Getenv(asCommand) != "" {
		brewput.Main(all...)
	}
	testscript.Main(cachetest.Main{M: m}, map[string]func(){
		"brewput":   func() { validated(catalog.All()...) },
		"extended":  func() { validated(plugin.Attach(catalog.All())...) },
		"faulty":    func() { validated(faulty()) },
		"kiosk":     func() { validated(kiosk()) },
		"kneads":    func() { validated(kneads()) },
		"misbehave": misbehave,
		"yards":     func() { validated(yards()) },
	})
}

// exitInvalid is the exit code of a command of a script whose output does not match the schemas.
const exitInvalid = 97

// validated is brewput.Main, except that it validates the records on stdout.
func validated(workloads ...*workload.Workload) {
	ctx, _ := cli.Interruptible(context.Background())
	out := schematest.NewWriter(os.Stdout)
	code := cli.Run(ctx, workloads, os.Args[1:], os.Stdin, out, os.Stderr)
	if err := out.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = exitInvalid
	}
	os.Exit(code)
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "listens": listens, "started": started,
		},
		Setup: func(e *testscript.Env) error {
			// The scripts share a cache, which keeps calibrations of burns.
			e.Setenv("XDG_CACHE_HOME", os.Getenv("XDG_CACHE_HOME"))
			e.Setenv("GOCACHE", os.Getenv("GOCACHE"))
			e.Setenv("LANG", "C.UTF-8")
			e.Setenv(serversFile, filepath.Join(e.WorkDir, "servers"))
			profile, err := filepath.Abs(filepath.Join("..", "..", "lab", "testdata", "numbers.prof"))
			e.Setenv("PROFILE", profile)
			return err
		},
	})
}

// exits runs a program and checks its exit code, which is one of several if it depends on the machine: exits
// CODE|CODE PROGRAM ARGS...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE|CODE PROGRAM ARGS...")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v: %v", args, err)
		}
		got = exit.ExitCode()
	}
	if !slices.Contains(strings.Split(args[0], "|"), strconv.Itoa(got)) {
		ts.Fatalf("%v exits %d, want %s", args[1:], got, args[0])
	}
}

// faulty is a workload whose designs fail, each in another way.
func faulty() *workload.Workload {
	op := func(f func(e env.Env, request uint64)) func(env.Env, plan.Point) (workload.Stream, error) {
		return func(env.Env, plan.Point) (workload.Stream, error) { return workload.Stream{Op: f}, nil }
	}
	return &workload.Workload{
		Name: "faulty",
		Doc:  "Designs that go wrong.",
		Designs: []workload.Design{
			{Name: "good", Doc: "goes right", Stream: op(func(e env.Env, _ uint64) { e.Burn(10 * time.Microsecond) })},
			{Name: "panic", Doc: "panics", Stream: op(func(e env.Env, request uint64) {
				if request > 3 {
					panic("the milk is sour")
				}
			})},
			{Name: "sours", Doc: "panics after some time", Stream: op(func(e env.Env, request uint64) {
				e.Burn(10 * time.Microsecond)
				if request > 30 {
					panic("the milk has turned")
				}
			})},
			{Name: "deadlock", Doc: "waits for itself", Stream: newDeadlock},
			{Name: "nest", Doc: "starts a process and waits for itself", Stream: newNest},
			{Name: "wrong", Doc: "answers wrong", Stream: newWrong},
			{Name: "declared", Doc: "answers wrong and says so", Stream: newWrong, Expect: workload.WrongAnswer},
			{Name: "violate", Doc: "uses a station twice at once", Stream: newViolate},
			{Name: "leak", Doc: "leaves a goroutine behind", Stream: newLeak},
			{Name: "goexit", Doc: "a worker ends early",
				Stream: op(func(e env.Env, request uint64) { exitGoroutine() })},
			{Name: "polls", Doc: "does nothing", Stream: op(func(env.Env, uint64) {})},
			{Name: "spins", Doc: "waits for a word in memory",
				Stream: op(func(env.Env, uint64) { new(kettle).spinForEver() })},
			{Name: "killed", Doc: "its process is killed", Stream: op(func(env.Env, uint64) { killSelf() })},
			{Name: "lonely", Doc: "lives in one world", Worlds: workload.LiveOnly,
				Stream: op(func(e env.Env, _ uint64) { e.Burn(10 * time.Microsecond) })},
			{Name: "refuses", Doc: "cannot be built", Job: func(env.Env, plan.Point) (workload.Job, error) {
				return workload.Job{}, errors.New("no beans")
			}},
		},
	}
}

type kettle struct{}

func (*kettle) spinForEver() {
	for flag := new(bool); !*flag; {
	}
}

func newDeadlock(e env.Env, _ plan.Point) (workload.Stream, error) {
	lock := e.Mutex("lock")
	return workload.Stream{Op: func(env.Env, uint64) {
		lock.Lock()
		lock.Lock()
	}}, nil
}

// newNest starts a process that holds the standard error of the trial.
func newNest(e env.Env, p plan.Point) (workload.Stream, error) {
	helper := exec.Command("sleep", "120")
	helper.Stderr = os.Stderr
	if err := helper.Start(); err != nil {
		return workload.Stream{}, err
	}
	return newDeadlock(e, p)
}

func newWrong(env.Env, plan.Point) (workload.Stream, error) {
	return workload.Stream{
		Op:    func(e env.Env, _ uint64) { e.Burn(10 * time.Microsecond) },
		Check: func(uint64) (workload.Answer, error) { return nil, errors.New("41 instead of 42") },
	}, nil
}

func newViolate(e env.Env, _ plan.Point) (workload.Stream, error) {
	grinder := e.Station("grinder")
	return workload.Stream{Op: func(e env.Env, _ uint64) {
		grinder.Enter()
		grinder.Enter()
		grinder.Leave()
		grinder.Leave()
		e.Burn(10 * time.Microsecond)
	}}, nil
}

func newLeak(e env.Env, _ plan.Point) (workload.Stream, error) {
	never := env.NewChan[int](e, "never", 0)
	e.Go("forgotten", func(env.Env) { never.Recv() })
	return workload.Stream{Op: func(e env.Env, _ uint64) { e.Burn(10 * time.Microsecond) }}, nil
}
