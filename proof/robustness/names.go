//go:build linux

package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brewput/brewput/tools/hostile"
	"github.com/brewput/brewput/tools/repository"
)

// hostileName is the name of an attempt. The first attempts have one hostile piece each, later ones mixtures.
func (a *attempt) hostileName() string {
	if pieces := hostile.Pieces(); a.Index < len(pieces) {
		return []string{"", "a"}[a.rng.IntN(2)] + pieces[a.Index] + []string{"", "b"}[a.rng.IntN(2)]
	}
	return hostile.Mixture(a.rng)
}

// formats are the output formats of verbs that measure.
var formats = []string{"table", "json", "csv", "bench", "md"}

// openNames makes attempts that give one name to everything that can have one.
func openNames(ctx context.Context, c *campaign) (attack, error) {
	return func(ctx context.Context, a *attempt) error {
		name := a.hostileName()
		a.Kind = fmt.Sprintf("%.40q", name)
		steps := []func(context.Context, string) error{a.namedFiles, a.namedProfiles, a.namedRuns, a.namedDesigns,
			a.giveAsArgument}
		if a.Index%20 == 0 { // rarely, because it compiles
			steps = append(steps, a.namedPrograms)
		}
		for _, step := range steps {
			if err := step(ctx, name); err != nil {
				return err
			}
		}
		a.findLeftovers()
		return nil
	}, nil
}

// show runs a command and judges its output. crashes allows panics of programs with the name.
func (a *attempt) show(ctx context.Context, cmd *exec.Cmd, crashes bool) error {
	_, err := a.see(ctx, cmd, crashes)
	return err
}

// showForeign also finds a refused input, because nothing of it would be shown, and a name that makes a line of its
// own.
func (a *attempt) showForeign(ctx context.Context, cmd *exec.Cmd) error {
	r, err := a.see(ctx, cmd, false)
	if err == nil && r.code == 2 {
		a.find("refused, so that nothing is shown: %.200q", r.stderr)
	}
	a.findForged(r)
	return err
}

// findForged finds lines that a name forges.
func (a *attempt) findForged(r ran) {
	if text := "\n" + r.stdout + "\n" + r.stderr; strings.Contains(text, "\n"+hostile.ForgedLine) {
		a.find("a name forges a line")
	}
}

// see runs a command, judges it and checks the syntax of its output.
func (a *attempt) see(ctx context.Context, cmd *exec.Cmd, crashes bool) (ran, error) {
	r, err := a.watch(ctx, cmd, 2*patience)
	if err != nil {
		return r, err
	}
	a.judge(r, crashes)
	format := ""
	if at := slices.Index(cmd.Args, "--format"); at > 0 && at+1 < len(cmd.Args) {
		format = cmd.Args[at+1]
	}
	if fault := hostile.Fault(format, r.stdout); fault != "" {
		a.find("%s", fault)
	}
	return r, nil
}

// namedFiles compares files of benchmarks.
func (a *attempt) namedFiles(ctx context.Context, name string) error {
	word := strings.NewReplacer("\n", "", "\r", "", " ", "_", "\t", "").Replace(name)
	file := fileName(name)
	for side, factor := range map[string]int{"old": 1, "new": 2} {
		text := fmt.Sprintf("goos: linux\npkg: p%s\ncpu: %s\nroast: %s\nvariant: %d%s\n", word, word, word, factor,
			word)
		for b := range 6 {
			text += fmt.Sprintf("BenchmarkA%s\t100\t%d ns/op\t%d %s/op\n", word, 100*factor+b, b, word)
		}
		if err := os.WriteFile(filepath.Join(a.cwd(), side+file), []byte(text), 0o666); err != nil {
			return err
		}
	}
	for _, format := range []string{"table", "json", "md", "bench"} {
		if err := a.show(ctx, a.command("compare", "old"+file, "new"+file, "--format", format), false); err != nil {
			return err
		}
	}
	return nil
}

// fileName makes a name valid as that of a file.
func fileName(name string) string {
	name = strings.NewReplacer("/", "", "\x00", "").Replace(name)
	return name[:min(len(name), 200)]
}

// namedProfiles explains profiles of functions and files.
func (a *attempt) namedProfiles(ctx context.Context, name string) error {
	name = strings.ToValidUTF8(name, "?")
	profile, err := hostile.Profile("main."+name, "/src/"+name+".go", name)
	if err != nil {
		return err
	}
	file := "cpu" + fileName(name) + ".pprof"
	if err := os.WriteFile(filepath.Join(a.cwd(), file), profile, 0o666); err != nil {
		return err
	}
	for _, format := range []string{"table", "json"} {
		err := errors.Join(a.showForeign(ctx, a.command("explain", file, "--format", format)),
			a.showForeign(ctx, a.command("explain", "--before", file, "--after", file, "--format", format)))
		if err != nil {
			return err
		}
	}
	return nil
}

// namedRuns shows and compares stored runs of benchmarks.
func (a *attempt) namedRuns(ctx context.Context, name string) error {
	name = strings.ToValidUTF8(name, "?")
	began := time.Unix(1700000000, 0)
	for i, dir := range []string{"first", "second"} {
		if err := hostile.StoreRun(filepath.Join(a.cwd(), dir), []string{name},
			began.Add(time.Duration(i)*time.Hour)); err != nil {
			return err
		}
	}
	for _, format := range formats {
		if err := a.showForeign(ctx, a.command("bench", "--resume", "first", "--format", format)); err != nil {
			return err
		}
		if format == "csv" {
			continue
		}
		if err := a.showForeign(ctx, a.command("compare", "first", "second", "--format", format)); err != nil {
			return err
		}
	}
	return nil
}

// users is a command of this program as that of a user whose designs, locks, messages and panics have the name.
func (a *attempt) users(name string, args ...string) *exec.Cmd {
	cmd := a.command(args...)
	cmd.Path, cmd.Env = a.self, append(cmd.Env, userVariable+"="+hex.EncodeToString([]byte(name)))
	return cmd
}

// namedDesigns simulates and runs a user's workload, in all formats and both kinds of timeline.
func (a *attempt) namedDesigns(ctx context.Context, name string) error {
	few := []string{"--operations", "4", "--warmup", "0s", "--cpus", "1", "--count", "1"}
	// In virtual time designs run in the process of the command, so that their output is allowed.
	lists := [][]string{{"list", "sour"}, {"list", "--format", "json"}, {"show", "sour/lock"}}
	for i, format := range formats {
		lists = append(lists, slices.Concat([]string{"sim", "sour", "--designs", "lock,panic,wrong", "--cost", "none",
			"-o", fmt.Sprint("sim", i), "--format", format}, few))
	}
	lists = append(lists, slices.Concat([]string{"run", "sour", "--no-twin", "-o", "live", "--format",
		formats[a.Index%len(formats)]}, few))
	for _, kind := range []string{"svg", "json"} {
		lists = append(lists, slices.Concat([]string{"sim", "sour", "--designs", "lock", "--cost", "none", "-o",
			"line" + kind, "--timeline", "line." + kind}, few))
	}
	for _, args := range lists {
		if err := a.show(ctx, a.users(name, args...), true); err != nil {
			return err
		}
	}
	for _, kind := range []string{"svg", "json"} {
		text, err := os.ReadFile(filepath.Join(a.cwd(), "line."+kind))
		if err != nil {
			a.find("no timeline: %v", err)
			continue
		}
		if at := hostile.Raw(string(text)); at >= 0 {
			a.find("raw %q in the timeline .%s", text[at:min(len(text), at+12)], kind)
		}
		if fault := hostile.Fault(kind, string(text)); fault != "" || kind == "json" && !json.Valid(text) {
			a.find("a timeline .%s is not valid: %s", kind, fault)
		}
	}
	return nil
}

// giveAsArgument gives the name as an argument and in the environment, at some of all places.
func (a *attempt) giveAsArgument(ctx context.Context, name string) error {
	name = strings.ReplaceAll(name, "\x00", "")
	places := [][]string{
		{name}, {"help", name}, {"--" + name}, {"-" + name}, {"run", name}, {"run", "null", "--count", name},
		{"run", "null", "--cpus", name}, {"run", "null", name},
		{"run", "null", "--designs", name}, {"run", "null", "--baseline", name}, {"run", "null", "--format", name},
		{"run", "--resume", name + "/none"}, {"run", "null", "--duration", name},
		{"sim", "null", "--cost", name}, {"sim", "null", "--precision", name},
		{"sim", "null", "--replay-costs", name + "/none"}, {"sim", "null", "--timeline", name},
		{"bench", "--count", name}, {"bench", "--cpus", name}, {"bench", "--env", name},
		{"bench", "--resume", name + "/none"}, {"bench", "--format", name},
		{"gate", "--max-regression", name, "--base", "b"}, {"gate", "--max-regression", "5%", "--base", name},
		{"gate", "--max-regression", "5%", "--base", "b", "--allow", name + "/none"},
		{"compare", name, name}, {"compare", name}, {"explain", name + "/none"}, {"explain", "--format", name, "x"},
		{"explain", "--", name}, {"explain", "http://127.0.0.1:1/" + name},
		{"list", name}, {"list", "--format", name}, {"show", name}, {"show", "null/" + name}, {"new", name + "/Ä"},
		{"new", name}, {"new", "x", "--module", name}, {"doctor", "--format", name},
		{"calibrate", "--format", name}, {"version", name}, {"completion", name}, {"--" + name + "=x", "run"},
		{"__complete", "show", name}, {"__complete", name, ""},
	}
	for range 12 {
		if err := a.show(ctx, a.command(places[a.rng.IntN(len(places))]...), false); err != nil {
			return err
		}
	}
	for _, args := range [][]string{{"run", "null"}, {"bench"}} {
		cmd := a.command(args...)
		cmd.Env = append(cmd.Env, []string{"BREWPUT_COUNT=", "BREWPUT_FORMAT=", "BREWPUT_SEED="}[a.rng.IntN(3)]+name)
		if err := a.show(ctx, cmd, false); err != nil {
			return err
		}
	}
	allow := "allow.txt"
	if err := os.WriteFile(filepath.Join(a.cwd(), allow), []byte("Encode ns/op "+name+" reason\n"), 0o666); err != nil {
		return err
	}
	return a.show(ctx, a.command("gate", "--max-regression", "5%", "--base", "b", "--allow", allow), false)
}

// namedPrograms runs a benchmark and explains programs that print the name and panic with it.
func (a *attempt) namedPrograms(ctx context.Context, name string) error {
	text := strconv.Quote(name)
	dir := filepath.Join(a.cwd(), "programs")
	files := map[string]string{
		"go.mod": "module example.com/sour\n\ngo 1.24\n",
		"sour_test.go": "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"testing\"\n)\n\nfunc BenchmarkSour(b " +
			"*testing.B) {\n\tb.Run(" + text + ", func(b *testing.B) {\n\t\tfmt.Fprintln(os.Stderr, " + text +
			")\n\t\tfor b.Loop() {\n\t\t}\n\t\tb.ReportMetric(1, \"x/op\")\n\t})\n\tb.Run(\"fails\", func(b " +
			"*testing.B) { b.Fatal(" + text + ") })\n}\n",
		"main.go": "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc main() " +
			"{\n\tfmt.Fprintln(os.Stderr, " + text + ")\n\tfmt.Println(" + text +
			")\n\tif len(os.Args) > 1 {\n\t\tpanic(" + text + ")\n\t}\n}\n",
	}
	if err := errors.Join(os.Mkdir(dir, 0o777), repository.Write(dir, files)); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"bench", "--count", "1", "--duration", "1ms", "--cpus", "1", "-o", "stored", "--format",
			formats[a.Index/20%len(formats)]}, {"bench", "--resume", "stored", "--format", "md"},
		{"explain", "--cpus", "1", "--duration", "200ms", "--time-limit", "5s", "."},
		{"explain", "--cpus", "1", "--duration", "200ms", "--time-limit", "5s", ".", "--", "x"},
	} {
		cmd := a.command(args...)
		cmd.Dir = dir
		if err := a.show(ctx, cmd, true); err != nil {
			return err
		}
	}
	return nil
}
