//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/brewput/brewput/tools/hostile"
	"github.com/brewput/brewput/tools/repository"
)

// option is a flag in the help of a verb.
type option struct{ name, kind string }

// verb is a verb, or a verb with a workload, with its flags.
type verb struct {
	words []string
	flags []option
	tame  []string // flags that keep it short, unless they are drawn
	right []string // possible targets, separated by spaces
}

var flagLine = regexp.MustCompile(`(?m)^ +(?:-\w, |    )--([a-z-]+)(?: (\S+))?  `)

// openLines reads the flags of all verbs from their help, so that new flags are attacked too, and makes the files.
func openLines(ctx context.Context, c *campaign) (attack, error) {
	a := &attempt{campaign: c, outcome: outcome{Area: "lines"}}
	if err := a.makeDirectory(); err != nil {
		return nil, err
	}
	defer os.RemoveAll(a.box)
	var verbs []verb
	short := []string{"--count", "1", "--duration", "5ms", "--warmup", "0s", "--time-limit", "2s"}
	bench := []string{"--count", "2", "--duration", "1ms", "--time-limit", "5s"}
	for _, v := range []verb{
		{words: []string{"run", "null"}, tame: append(short, "--no-twin")},
		{words: []string{"run", "coffee"}, tame: append(short, "--no-twin", "--designs", "locking")},
		{words: []string{"run", "sum"}, tame: append(short, "--no-twin", "--designs", "sequential,wide")},
		{words: []string{"run", "words"}, tame: append(short, "--no-twin", "--designs", "buffered,reused")},
		{words: []string{"sim", "coffee"}, tame: append(short, "--designs", "locking")},
		{words: []string{"sim", "null"}, tame: short}, {words: []string{"sim", "parse"}, tame: short},
		{words: []string{"bench"}, tame: bench},
		{words: []string{"gate"}, tame: append(bench, "--base", "HEAD", "--max-regression", "5%")},
		{words: []string{"compare"}, right: []string{"old.txt new.txt", "live other", "old.txt old.txt", "live live"}},
		{words: []string{"explain"}, tame: []string{"--time-limit", "3s", "--duration", "100ms"},
			right: []string{"cpu.pprof", "live", "cpu.pprof cpu.pprof", "."}},
		{words: []string{"explain", "coffee"},
			tame: []string{"--time-limit", "3s", "--duration", "100ms", "--designs", "locking"}},
		{words: []string{"list"}, right: []string{"coffee", "null"}},
		{words: []string{"show"}, right: []string{"coffee/locking", "words/wc"}},
		{words: []string{"new"}, right: []string{"mine", "x-1"}},
		{words: []string{"doctor"}, tame: []string{"--quick", "--time-limit", "2s"}},
		{words: []string{"calibrate"}}, {words: []string{"version"}}, {words: []string{"help"}},
		{words: []string{"completion"}}, {words: []string{"__complete"}},
	} {
		r, err := a.run(ctx, patience, append(slices.Clone(v.words), "--help")...)
		if err != nil || r.code != 0 && v.words[0] != "__complete" {
			return nil, errors.Join(err, fmt.Errorf("%q exits with %d:\n%s", a.Command, r.code, r.stderr))
		}
		for _, m := range flagLine.FindAllStringSubmatch(r.stdout, -1) {
			v.flags = append(v.flags, option{m[1], m[2]})
		}
		verbs = append(verbs, v)
	}
	home := filepath.Join(c.work, "lines-"+c.sum[:12])
	if _, err := os.Stat(home); err != nil {
		if err := errors.Join(os.RemoveAll(home+".new"), a.furnish(ctx, home+".new"),
			os.Rename(home+".new", home)); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context, a *attempt) error { return a.line(ctx, verbs, home) }, nil
}

// furnish makes the files that command lines may name, in a repository with benchmarks.
func (a *attempt) furnish(ctx context.Context, home string) error {
	if err := os.MkdirAll(filepath.Join(home, "dir"), 0o777); err != nil {
		return err
	}
	files := map[string]string{"text.txt": "some words\n", "old.txt": "BenchmarkX 1 100 ns/op\nBenchmarkX 1 101 " +
		"ns/op\n", "new.txt": "BenchmarkX 1 50 ns/op\nBenchmarkX 1 1e308 ns/op\n"}
	if err := errors.Join(repository.Write(home, files), repository.Make(ctx, home, benchmarks)); err != nil {
		return err
	}
	profile, err := hostile.Profile("main.f", "main.go", "main.go")
	if err != nil {
		return err
	}
	for _, name := range []string{"live", "other"} {
		r, err := a.run(ctx, patience, "run", "null", "--designs", "stream,job", "--cpus", "1", "--operations", "1000",
			"--count", "2", "--no-twin", "-o", filepath.Join(home, name))
		if err != nil || r.code != 0 {
			return errors.Join(err, fmt.Errorf("run exits with %d:\n%s", r.code, r.stderr))
		}
	}
	return os.WriteFile(filepath.Join(home, "cpu.pprof"), profile, 0o666)
}

// line draws a command line, runs it, and judges its outcome and the files that it leaves.
func (a *attempt) line(ctx context.Context, verbs []verb, home string) error {
	err := errors.Join(copyTree(home, a.cwd()), syscall.Mkfifo(filepath.Join(a.cwd(), "fifo"), 0o600),
		os.Symlink("/dev/zero", filepath.Join(a.cwd(), "zero")))
	if err != nil {
		return err
	}

	args, wrong := a.draw(verbs)
	before := a.names()
	r, err := a.run(ctx, limitOf(args), args...)
	if err != nil {
		return err
	}
	again := ""
	if r.hung { // on a busy machine it may only be slow: a command that hangs does so twice
		a.clear()
		if err := errors.Join(os.RemoveAll(a.tmp()), os.Mkdir(a.tmp(), 0o777)); err != nil {
			return err
		}
		if r, err = a.run(ctx, limitOf(args), args...); err != nil {
			return err
		}
		again = ", at the second attempt"
	}

	a.judge(r, false)
	a.Kind = fmt.Sprintf("%s, exit %d%s", args[0], r.code, again)
	if r.code == 0 && wrong != "" && !r.stopped {
		a.find("exit 0, although %.60q is not a valid value", wrong)
	}
	a.findFiles(before, args)
	a.findLeftovers()
	return nil
}

// limitOf is the time limit that a command line sets for all of the command; 0 if it sets none, or one for each trial.
func limitOf(args []string) time.Duration {
	at := slices.Index(args, "--time-limit")
	if args[0] != "explain" || at < 0 || at+1 == len(args) || slices.Contains(args, "--pprof") {
		return 0
	}
	limit, err := time.ParseDuration(args[at+1])
	if err != nil || limit <= 0 || limit > 10*time.Second {
		return 0
	}
	return limit
}

// draw draws a command line. wrong is a value in it that must be refused, or "".
func (a *attempt) draw(verbs []verb) (args []string, wrong string) {
	v := verbs[a.rng.IntN(len(verbs))]
	args = slices.Clone(v.words)
	targets := append(good("text.txt", "old.txt", "new.txt", "cpu.pprof", "live", "fifo", "zero", "dir", "missing",
		"coffee", "null", "coffee/locking", ".", "--", "./...", "http://127.0.0.1:1", "file:///etc/passwd", "run",
		"sim",
		"mine", "bash"), good(invalid...)...)
	switch {
	case len(v.right) > 0 && a.rng.IntN(4) > 0:
		args = append(args, strings.Fields(v.right[a.rng.IntN(len(v.right))])...)
	case len(v.words) == 1 || a.rng.IntN(16) == 0:
		for range a.rng.IntN(3) {
			args = append(args, targets[a.rng.IntN(len(targets))].text)
		}
	}

	drawn := map[string]bool{}
	for range a.rng.IntN(4) {
		if len(v.flags) == 0 {
			break
		}
		f := v.flags[a.rng.IntN(len(v.flags))]
		list, odd := values(f.kind, f.name)
		if a.rng.IntN(4) == 0 {
			list = odd
		}
		if f.name == "help" || drawn[f.name] {
			continue
		}
		drawn[f.name] = true
		if len(list) == 0 {
			args = append(args, "--"+f.name)
			continue
		}
		val := list[a.rng.IntN(len(list))]
		if val.wrong {
			wrong = val.text
		}
		if a.rng.IntN(3) == 0 {
			args = append(args, "--"+f.name+"="+val.text)
		} else {
			args = append(args, "--"+f.name, val.text)
		}
	}
	if a.rng.IntN(20) == 0 {
		args = append(args, invalid[a.rng.IntN(len(invalid))])
	}
	return a.tame(v, args, drawn), wrong
}

// tame adds the flags that keep a command short, before any --.
func (a *attempt) tame(v verb, args []string, drawn map[string]bool) []string {
	var tame []string
	for i := 0; i < len(v.tame); i++ {
		name := strings.TrimPrefix(v.tame[i], "--")
		valued := i+1 < len(v.tame) && !strings.HasPrefix(v.tame[i+1], "--")
		if !drawn[name] && !drawn["resume"] {
			tame = append(tame, v.tame[i])
			if valued {
				tame = append(tame, v.tame[i+1])
			}
		}
		if valued {
			i++
		}
	}
	return slices.Insert(args, len(v.words), tame...)
}

// names are the names in the working directory.
func (a *attempt) names() map[string]bool {
	found := map[string]bool{}
	entries, _ := os.ReadDir(a.cwd())
	for _, e := range entries {
		found[e.Name()] = true
	}
	return found
}

// findFiles finds new files that no argument names, except the directory of runs.
func (a *attempt) findFiles(before map[string]bool, args []string) {
	for name := range a.names() {
		asked := slices.ContainsFunc(args, func(arg string) bool { return strings.Contains(arg, name) })
		if !before[name] && !asked && name != "brewput-runs" {
			a.find("left in the working directory: %.60q", name)
		}
	}
}
