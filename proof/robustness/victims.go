//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/brewput/brewput/tools/repository"
)

// victims are the commands that are killed or interrupted.
type victims struct {
	home  string                   // directory with the program nest
	whole map[string]time.Duration // time of each command by name
}

// measured are the arguments of a run of 2 designs in 6 blocks, each plain and instrumented: 24 trials.
func measured() []string {
	return []string{"run", "null", "--designs", "stream,job", "--cpus", "1", "--operations", "1000", "--count", "6",
		"--no-twin", "-o", "stored"}
}

const measuredTrials = 24

// commands are the arguments of commands that an interrupt must end, by name.
func (v *victims) commands() map[string][]string {
	return map[string][]string{
		"run": measured(), "version": {"version"}, "help": {"help"},
		"sim": {"sim", "coffee", "--designs", "locking,linearpipe", "--cpus", "2", "--cost", "none", "--jitter",
			"1ms", "--count", "4", "-o", "stored"},
		"bench":   {"bench", "--count", "2", "--duration", "10ms", "--cpus", "1", "-o", "stored"},
		"explain": v.explain(),
	}
}

func (v *victims) explain() []string {
	return []string{"explain", "--cpus", "1", "--duration", "300ms", "--time-limit", "20s", "--", "./nest"}
}

// nest is a program that starts another one in its own session, which does not end by itself, and works for a while.
var nest = map[string]string{
	"go.mod": "module example.com/nest\n\ngo 1.24\n",
	"main.go": `package main

import (
	"os/exec"
	"syscall"
	"time"
)

func main() {
	cmd := exec.Command("sleep", "300")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Start()
	for end := time.Now().Add(200 * time.Millisecond); time.Now().Before(end); {
	}
	cmd.Process.Kill()
	cmd.Wait()
}
`,
	"nest_test.go": `package main

import (
	"os/exec"
	"syscall"
	"testing"
)

func BenchmarkNest(b *testing.B) {
	cmd := exec.Command("sleep", "300")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Start()
	for b.Loop() {
	}
	cmd.Process.Kill()
	cmd.Wait()
}
`,
}

// openKills builds the program nest, and measures how long each command takes.
func openKills(ctx context.Context, c *campaign) (attack, error) {
	v := &victims{home: filepath.Join(c.work, "nest"), whole: map[string]time.Duration{}}
	if err := errors.Join(os.RemoveAll(v.home), os.MkdirAll(v.home, 0o777),
		repository.Write(v.home, nest)); err != nil {
		return nil, err
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", "nest", ".")
	build.Dir, build.Env = v.home, append(os.Environ(), "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, out)
	}
	a := &attempt{campaign: c, outcome: outcome{Area: "kills"}}
	for name, args := range v.commands() {
		if err := a.makeDirectory(); err != nil {
			return nil, err
		}
		defer os.RemoveAll(a.box)
		if err := copyTree(v.home, a.cwd()); err != nil {
			return nil, err
		}
		r, err := a.run(ctx, 2*time.Minute, args...)
		if err != nil || r.code != 0 {
			return nil, errors.Join(err, fmt.Errorf("%q exits with %d:\n%s", args, r.code, r.stderr))
		}
		v.whole[name] = r.took
	}
	return v.attack, nil
}
