package cli_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/pprof/profile"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/cli"
	"github.com/brewput/brewput/internal/gobench"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// evil are pieces of names that a terminal, a browser or a spreadsheet would act on.
var evil = []string{
	"\x1b[31m", "\x1b]0;title\x07", "\x1b]8;;http://evil\x1b\\", "\u009b31m", "\x9b31m", "\x9d0;x\x9c", "\b\b\b", "\x7f", "\r", "\a", "\x00",
	"\u202e", "\u2066", "\u2069", "\u200e", "\u200f", "\u061c", "\u200b", "\u200d", "\ufeff", "\u2028", "\u2029", "\xff", "\xc3\x28", "\xed\xa0\x80",
	"\U000e0041", "\ufe0f", "\ufdd0", "\ufdef", "\ue000", "[a](http://evil)", "![a](http://evil)", "<script>alert(1)</script>", "</text>", "]]>",
	"|a|b|", "`code`", "=cmd()", "+1+1", "-1+1", "@SUM(1)", "\t=1", "\"quoted\"", "'", "\\", "&amp;", "%s%n", "日本", "e\u0301", "# h", "plain",
}

// hostile are names: each piece by itself, at the beginning and in the midst, and chance mixtures.
func hostile(n int) []string {
	var names []string
	for _, e := range evil {
		names = append(names, e, "a"+e+"b")
	}
	draw := rand.New(rand.NewPCG(24, 1))
	for len(names) < n {
		name := ""
		for range 1 + draw.IntN(4) {
			name += evil[draw.IntN(len(evil))] + strings.Repeat("x", draw.IntN(3))
		}
		names = append(names, name)
	}
	return names
}

// mixed are few names that hold all pieces, for what takes time.
func mixed() (names []string) {
	for from := 0; from < len(evil); from += 5 {
		names = append(names, strings.Join(evil[from:min(from+5, len(evil))], "x"))
	}
	return names
}

// typed runs the command in this process, and wants nothing raw in what it writes.
func typed(t *testing.T, workloads []*workload.Workload, args ...string) (code int, stdout string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = cli.Run(context.Background(), workloads, args, strings.NewReader(""), &out, &errs)
	harmless(t, args, "stdout", out.String())
	harmless(t, args, "stderr", errs.String())
	return code, out.String()
}

// harmless wants printable text, in lines, and of the formats what each must be.
func harmless(t *testing.T, args []string, where, text string) {
	t.Helper()
	for i, r := range text {
		if _, size := utf8.DecodeRuneInString(text[i:]); !quote.Printable(r) && r != '\n' && r != '\t' || r == utf8.RuneError && size == 1 {
			t.Fatalf("%q: %s has %U at %q", args, where, r, text[max(0, i-40):min(len(text), i+20)])
		}
	}
	if where == "stderr" || len(args) < 2 {
		return
	}
	switch args[len(args)-1] {
	case "json":
		for in := json.NewDecoder(strings.NewReader(text)); ; {
			var v any
			if err := in.Decode(&v); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				t.Fatalf("%q: %v in %s", args, err, text)
			}
		}
	case "csv":
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		for _, cell := range concat(rows) {
			if _, err := strconv.ParseFloat(cell, 64); err != nil && cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
				t.Fatalf("%q: the cell %q is a formula", args, cell)
			}
		}
	case "md":
		for _, raw := range []string{"](http", "<script", "</text", "![a]"} {
			if strings.Contains(text, raw) {
				t.Fatalf("%q: Markdown with %s:\n%s", args, raw, text)
			}
		}
	}
}

func concat(rows [][]string) (cells []string) {
	for _, r := range rows {
		cells = append(cells, r...)
	}
	return cells
}

// oneLine is a name as a line of a file can hold it.
func oneLine(name string) string {
	return strings.NewReplacer("\n", "", "\r", "", " ", "_").Replace(name)
}

// TestHostileFiles: names, units and lines of files of benchmarks, in all formats of compare.
func TestHostileFiles(t *testing.T) {
	dir := t.TempDir()
	older, newer := filepath.Join(dir, "old\x1b[2J\u202e.txt"), filepath.Join(dir, "new\x9b.txt")
	for _, name := range hostile(200) {
		name = oneLine(name)
		for path, factor := range map[string]int{older: 1, newer: 2} {
			text := fmt.Sprintf("goos: linux\npkg: p%s\nroast: %s\nvariant: %d%s\n", name, name, factor, name)
			if path == newer {
				text += "cpu: " + name + "\n"
			}
			for b := range 3 {
				text += fmt.Sprintf("Benchmark%s\t100\t%d ns/op\t%d %s/op\n", "A"+strings.ReplaceAll(name, "\t", ""), 100*factor+b, b, strings.ReplaceAll(name, "\t", ""))
			}
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		for _, format := range []string{"table", "json", "md", "bench"} {
			typed(t, nil, "compare", older, newer, "--format", format)
		}
	}
}

// finishedRun is a run directory of benchmarks that ended after 6 of at most 80 blocks, as those of gates do.
func finishedRun(t *testing.T, dir string, names []string) {
	t.Helper()
	x := gobench.Experiment{Package: "p" + names[0], Layouts: 1, Time: time.Second, Limit: time.Minute, Unprobed: names[0]}
	point := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)})
	here := host.Read()
	here.CPUModel = &names[0]
	h := sweep.Header{Workload: x.Package, World: result.Live, Started: time.Now(), Seed: "1", Blocks: 80, Environment: here, Warnings: names}
	for _, name := range names {
		x.Benchmarks = append(x.Benchmarks, gobench.Benchmark{Name: name})
		x.Broken = append(x.Broken, gobench.Broken{Name: name, Error: name, Text: name + "\n" + name})
		x.Skipped = append(x.Skipped, gobench.Skipped{Name: name, Reason: name})
		h.Cases = append(h.Cases, plan.Case{Design: name, Point: point})
	}
	raw, err := json.Marshal(&x)
	if err != nil {
		t.Fatal(err)
	}
	h.Bench = raw
	run, err := store.Create(dir, h)
	if err != nil {
		t.Fatal(err)
	}
	order := plan.Plan{Seed: 1, Blocks: h.Blocks, Cases: h.Cases}
	for b := range 6 {
		for i, step := range order.Block(b) {
			name := names[step.Case]
			trial := result.Trial{Kind: result.KindTrial, SchemaVersion: result.SchemaVersion, Workload: x.Package, Design: name, World: result.Live, Point: point,
				Block: b, Order: i, Seed: strconv.FormatUint(order.BlockSeed(b), 10), Status: result.OK, Expected: true, Type: result.Benchmark, Operations: 10, Warnings: []string{name},
				Metrics: result.Metrics{result.TimePerOp: result.Value(100 + b), "x" + name: result.Value(b)}}
			if b == 5 {
				trial.Status, trial.Expected, trial.Error, trial.Metrics = result.Failed, true, name, nil
			}
			if err := run.Append(trial, nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := run.EndBlock(b, len(names), time.Second); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(run.End(), run.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestHostileJournals: runs whose names came to the journal, shown again and compared, in all formats. That they are shown
// with blocks missing is what a gate leaves that decided early: nothing more is to be measured.
func TestHostileJournals(t *testing.T) {
	t.Chdir(t.TempDir())
	var names []string
	for _, name := range hostile(130) {
		name = strings.ToValidUTF8(name, "?")
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for i := 0; len(names) > 0; i++ {
		some := names[:min(40, len(names))]
		names = names[len(some):]
		dir, other := fmt.Sprint("run", i), fmt.Sprint("other", i)
		finishedRun(t, dir, some)
		finishedRun(t, other, some)
		for _, format := range []string{"table", "json", "csv", "bench", "md"} {
			if code, _ := typed(t, nil, "bench", "--resume", dir, "--format", format); code != 4 { // for the benchmarks that are broken
				t.Errorf("bench --resume of a finished run exits %d", code)
			}
			if format != "csv" {
				typed(t, nil, "compare", dir, other, "--format", format)
			}
		}
	}
}

// sour is a workload whose designs, locks, goroutines and messages have a name that is hostile.
func sour(name string) *workload.Workload {
	return &workload.Workload{
		Name: "sour", Doc: "Hostile names: " + name,
		Designs: []workload.Design{
			{Name: "lock", Doc: name, Stream: func(e env.Env, _ plan.Point) (workload.Stream, error) {
				lock, station := e.Mutex(name), e.Station(name)
				return workload.Stream{
					Op: func(e env.Env, _ uint64) {
						lock.Lock()
						station.Enter()
						e.Burn(time.Millisecond)
						station.Leave()
						lock.Unlock()
					},
					Check: func(uint64) (workload.Answer, error) { return workload.Answer{name: name}, nil },
				}, nil
			}},
			{Name: "panic", Doc: name, Stream: func(env.Env, plan.Point) (workload.Stream, error) {
				return workload.Stream{Op: func(env.Env, uint64) { panic(name) }}, nil
			}},
			{Name: "wrong", Doc: name, Stream: func(env.Env, plan.Point) (workload.Stream, error) {
				return workload.Stream{Op: func(e env.Env, _ uint64) { e.Burn(time.Millisecond) },
					Check: func(uint64) (workload.Answer, error) { return nil, errors.New(name) }}, nil
			}},
		},
	}
}

// TestHostilePrograms: what designs call their locks and say when they panic, in all formats and both kinds of timeline.
func TestHostilePrograms(t *testing.T) {
	t.Chdir(t.TempDir())
	for i, name := range mixed() {
		w := []*workload.Workload{sour(name)}
		for _, format := range []string{"table", "json", "csv", "bench", "md"} {
			typed(t, w, "sim", "sour", "--cost", "none", "--operations", "4", "--warmup", "0s", "--cpus", "2", "-o", fmt.Sprint("run-", i, format), "--format", format)
		}
		for _, picture := range []string{"svg", "json"} {
			file := fmt.Sprint("timeline", i, ".", picture)
			typed(t, w, "sim", "sour", "--designs", "lock", "--cost", "none", "--operations", "4", "--warmup", "0s", "--cpus", "2", "-o", fmt.Sprint("line-", i, picture), "--timeline", file)
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			harmless(t, []string{"--timeline", picture}, "file", string(text))
			if err := xml.Unmarshal(text, new(struct{})); picture == "svg" && err != nil {
				t.Fatalf("%q: %v", name, err)
			}
		}
		typed(t, w, "list", "sour")
		typed(t, w, "list", "--format", "json")
	}
}

// TestHostileProfiles: names of functions and files in saved profiles.
func TestHostileProfiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cpu\x1b]0;x\x07.pprof")
	for _, name := range hostile(200) {
		name = strings.ToValidUTF8(name, "?")
		f := &profile.Function{ID: 1, Name: "main." + name, SystemName: name, Filename: "/src/" + name + ".go"}
		root := &profile.Function{ID: 2, Name: "main.main", Filename: name}
		m := &profile.Mapping{ID: 1, File: name, BuildID: name}
		at := []*profile.Location{{ID: 1, Mapping: m, Line: []profile.Line{{Function: f, Line: 3}}}, {ID: 2, Mapping: m, Line: []profile.Line{{Function: root, Line: 4}}}}
		p := &profile.Profile{
			SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}}, DurationNanos: 1e9,
			Sample:  []*profile.Sample{{Location: at, Value: []int64{90, 9e8}}},
			Mapping: []*profile.Mapping{m}, Location: at, Function: []*profile.Function{f, root},
		}
		var packed bytes.Buffer
		if err := errors.Join(p.Write(&packed), os.WriteFile(file, packed.Bytes(), 0o666)); err != nil {
			t.Fatal(err)
		}
		for _, format := range []string{"table", "json"} {
			typed(t, nil, "explain", file, "--format", format)
			typed(t, nil, "explain", "--before", file, "--after", file, "--format", format)
		}
	}
}

// TestHostileFlags: what is typed comes back in errors, which are quoted too; and so do allow-lists and the environment.
func TestHostileFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	w := []*workload.Workload{sour("plain")}
	for _, name := range hostile(200) {
		for _, args := range [][]string{
			{name}, {"help", name}, {"--" + name}, {"-" + name}, {"run", name}, {"run", "sour", "--count", name}, {"run", "sour", "--cpus", name}, {"run", "sour", name},
			{"run", "sour", "--designs", name}, {"run", "sour", "--baseline", name}, {"run", "sour", "--format", name}, {"run", "--resume", name + "/none"}, {"run", "sour", "--duration", name},
			{"sim", "sour", "--cost", name}, {"sim", "sour", "--precision", name}, {"sim", "sour", "--replay-costs", name + "/none"}, {"sim", "sour", "--timeline", name},
			{"bench", "--count", name}, {"bench", "--cpus", name}, {"bench", "--env", name}, {"bench", "--resume", name + "/none"}, {"bench", "--format", name},
			{"gate", "--max-regression", name, "--base", "b"}, {"gate", "--max-regression", "5%", "--base", "b", "--allow", name + "/none"}, {"compare", name, name}, {"compare", name},
			{"compare", name + "/none", name + "/no"}, {"explain", name + "/none"}, {"explain", "--format", name, "x"}, {"list", name}, {"list", "--format", name},
			{"show", name}, {"show", "sour/" + name}, {"new", name + "/Ä"}, {"doctor", "--format", name}, {"calibrate", "--format", name}, {"version", name}, {"completion", name}, {"--" + name + "=x", "run"},
			{"__complete", "show", name}, {"__complete", name, ""},
		} {
			typed(t, w, args...)
		}
		allow := "allow.txt"
		if err := os.WriteFile(allow, []byte("Encode ns/op "+name+" reason\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		typed(t, w, "gate", "--max-regression", "5%", "--base", "b", "--allow", allow)
		if !strings.Contains(name, "\x00") {
			t.Setenv("BREWPUT_COUNT", name)
			typed(t, w, "run", "sour")
			typed(t, w, "bench")
		}
	}
}
