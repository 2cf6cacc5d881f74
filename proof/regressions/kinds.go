package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/brewput/brewput/proof/idle"
	"github.com/brewput/brewput/tools/repository"
)

// kind is a change of the repository, with the arguments of gate and its right decisions.
type kind struct {
	name   string
	change map[string]string // files of the head that differ from the base
	args   []string
	right  []int // exit codes
	never  []int // exit codes that may never occur
	loaded bool  // under intermittent load
}

// Exit codes of gate.
const (
	passes    = 0
	fails     = 1
	undecided = 3
)

// kinds are all changes. Their names are keys of the record.
var kinds = []kind{
	{name: "no change, 5% allowed", args: brew("5%"), right: []int{passes}},
	{name: "3% slower, 5% allowed", change: slower(3), args: brew("5%"), right: []int{passes}},
	{name: "3% slower, 1% allowed", change: slower(3), args: brew("1%", "--layouts", "1"), right: []int{fails}},
	{name: "10% slower, 5% allowed", change: slower(10), args: brew("5%"), right: []int{fails}},
	{name: "one allocation more, none allowed", change: map[string]string{"cups.go": cupsSource(11)},
		args: limit("Cups", "0%", "--metric", "allocs/op", "--duration", "50ms"), right: []int{fails}},
	{name: "another order, 5%, 5 layouts", change: map[string]string{"pour.go": pourSource(true)},
		args: brew("5%", "--layouts", "5"), right: []int{passes}, never: []int{fails}},
	{name: "no change, under load", args: brew("5%", "--count", "20", "--duration", "100ms"), right: []int{undecided},
		loaded: true},
	{name: "10% slower, under load", change: slower(10), args: brew("5%", "--count", "20", "--duration", "100ms"),
		right: []int{undecided}, loaded: true},
}

// brew and limit are arguments of gate: the benchmark, the allowed regression, and more.
func brew(most string, more ...string) []string { return limit("Brew", most, more...) }

func limit(benchmark, most string, more ...string) []string {
	return append([]string{"--bench", benchmark, "--max-regression", most}, more...)
}

// slower returns a head with more iterations, by a percentage. Only a constant differs, so that no code moves.
func slower(percent int) map[string]string {
	return map[string]string{"iterations.go": iterationsSource(10000 + 100*percent)}
}

func iterationsSource(iterations int) string {
	return fmt.Sprintf("package shop\n\nconst iterations = %d\n", iterations)
}

func cupsSource(cups int) string { return fmt.Sprintf("package shop\n\nconst cups = %d\n", cups) }

// pourSource has three functions with short loops, whose speed depends on their address, and a function of odd length.
// Reversing their order moves all of them.
func pourSource(reversed bool) string {
	list := []string{
		"//go:noinline\nfunc grind(x uint64) uint64 {\n\tfor i := range uint64(iterations) {\n\t\tx ^= i + " +
			"x>>3\n\t}\n\treturn x\n}\n",
		"//go:noinline\nfunc press(x uint64) uint64 {\n\tfor i := range uint64(iterations / 4) {\n\t\tif x&1 == i&1 " +
			"{\n\t\t\tx += 3\n\t\t}\n\t\tx = x>>1 | x<<63\n\t}\n\treturn x\n}\n",
		"//go:noinline\nfunc steam(x uint64) uint64 {\n\tfor i := range uint64(iterations / 4) {\n\t\tx = x*31 + " +
			"i\n\t}\n\treturn x\n}\n",
		"//go:noinline\nfunc smile(x uint64) uint64 {\n\tif x == 12345678901234567 {\n\t\treturn x % 97 * " +
			"13\n\t}\n\treturn x\n}\n",
	}
	if reversed {
		slices.Reverse(list)
	}
	text := "package shop\n"
	for _, f := range list {
		text += "\n" + f
	}
	return text
}

const benchSource = `package shop

import "testing"

var sink uint64

var tray []*[4]int

func BenchmarkBrew(b *testing.B) {
	for b.Loop() {
		sink = smile(steam(press(grind(sink))))
	}
}

func BenchmarkCups(b *testing.B) {
	tray = make([]*[4]int, 0, 100)
	for b.Loop() {
		tray = tray[:0]
		for range cups {
			tray = append(tray, new([4]int))
		}
	}
}
`

// base are the files of the base.
var base = map[string]string{"go.mod": "module example.com/shop\n\ngo 1.24\n", "iterations.go": iterationsSource(10000),
	"cups.go": cupsSource(10),
	"pour.go": pourSource(false), "shop_test.go": benchSource}

// one runs gate on a kind once.
func (c *campaign) one(ctx context.Context, k kind, seed int) (outcome, error) {
	if err := errors.Join(repository.Write(c.repo, base), repository.Write(c.repo, k.change)); err != nil {
		return outcome{}, err
	}
	if k.loaded {
		defer load(ctx, time.Second)()
	}

	began := time.Now()
	out := filepath.Join(c.repo, "run")
	defer os.RemoveAll(out)
	others := idle.Watch(&c.spent)
	code, stdout, stderr, err := c.brewput(ctx,
		append([]string{"gate", "--base", "HEAD", "--cpus", "1", "--seed", strconv.Itoa(seed), "--format", "json", "-o",
			out}, k.args...)...)
	if err != nil {
		return outcome{}, err
	}
	o := outcome{Kind: k.name, Exit: code, Seconds: time.Since(began).Seconds(), Others: others()}
	if code != passes && code != fails && code != undecided {
		return o, fmt.Errorf("%s: gate exits with %d:\n%s", k.name, code, stderr)
	}

	line, _, _ := bytes.Cut(stdout, []byte("\n"))
	var v struct {
		Cost, Low, High *float64
		N               int
	}
	if err := json.Unmarshal(line, &v); err != nil || v.Cost == nil || v.Low == nil || v.High == nil {
		return o, fmt.Errorf("%s: gate says %s", k.name, line)
	}
	o.Cost, o.Low, o.High, o.Blocks = *v.Cost, *v.Low, *v.High, v.N
	return o, nil
}

// brewput runs the built command in the repository.
func (c *campaign) brewput(ctx context.Context, args ...string) (code int, stdout, stderr []byte, err error) {
	cmd := exec.CommandContext(ctx, c.program, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Dir = c.repo
	cmd.Env = append(os.Environ(), "GOFLAGS=")
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	err = cmd.Run()

	// A nonzero exit code is an outcome, not an error.
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = nil
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if cmd.ProcessState == nil {
		return 0, nil, nil, err
	}
	c.spent += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return cmd.ProcessState.ExitCode(), o.Bytes(), e.Bytes(), err
}

// load keeps all CPUs busy in every other period, until stop is called.
func load(ctx context.Context, period time.Duration) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	began := time.Now()
	for range runtime.NumCPU() {
		all.Go(func() {
			for ctx.Err() == nil {
				at := time.Since(began) % (2 * period)
				if at < period {
					for end := time.Now().Add(min(period-at, 10*time.Millisecond)); time.Now().Before(end); {
					}
					continue
				}
				select {
				case <-ctx.Done():
				case <-time.After(2*period - at):
				}
			}
		})
	}
	return func() { cancel(); all.Wait() }
}
