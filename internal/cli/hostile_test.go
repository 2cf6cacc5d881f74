package cli_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/internal/cli"
	"github.com/brewput/brewput/tools/hostile"
	"github.com/brewput/brewput/workload"
)

// hostileNames returns names with each hostile piece alone and in the middle, and random mixtures.
func hostileNames(n int) []string {
	var names []string
	for _, piece := range hostile.Pieces() {
		names = append(names, piece, "a"+piece+"b")
	}
	for draw := rand.New(rand.NewPCG(24, 1)); len(names) < n; {
		names = append(names, hostile.Mixture(draw))
	}
	return names
}

// mixed returns a few names that hold all pieces, for slow tests.
func mixed() (names []string) {
	for some := range slices.Chunk(hostile.Pieces(), 5) {
		names = append(names, strings.Join(some, "x"))
	}
	return names
}

// typed runs the command in this process and checks that its output is quoted.
func typed(t *testing.T, workloads []*workload.Workload, args ...string) (code int, stdout string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = cli.Run(context.Background(), workloads, args, strings.NewReader(""), &out, &errs)
	harmless(t, args, "stdout", out.String())
	harmless(t, args, "stderr", errs.String())
	return code, out.String()
}

// harmless checks that a text is printable and, for formats, well-formed.
func harmless(t *testing.T, args []string, where, text string) {
	t.Helper()
	if at := hostile.Raw(text); at >= 0 {
		t.Fatalf("%q: %s has %q behind %q", args, where, text[at:min(len(text), at+20)], text[max(0, at-40):at])
	}
	if where == "stderr" || len(args) < 2 {
		return
	}
	if fault := hostile.Fault(args[len(args)-1], text); fault != "" {
		t.Fatalf("%q: %s in\n%s", args, fault, text)
	}
}

// oneLine is a name as a line of a file can hold it.
func oneLine(name string) string {
	return strings.NewReplacer("\n", "", "\r", "", " ", "_").Replace(name)
}

// TestHostileFiles checks names, units and lines of files of benchmarks, in all formats of compare.
func TestHostileFiles(t *testing.T) {
	dir := t.TempDir()
	older, newer := filepath.Join(dir, "old\x1b[2J\u202e.txt"), filepath.Join(dir, "new\x9b.txt")
	for _, name := range hostileNames(200) {
		name = oneLine(name)
		for path, factor := range map[string]int{older: 1, newer: 2} {
			text := fmt.Sprintf("goos: linux\npkg: p%s\nroast: %s\nvariant: %d%s\n", name, name, factor, name)
			if path == newer {
				text += "cpu: " + name + "\n"
			}
			for b := range 3 {
				text += fmt.Sprintf("Benchmark%s\t100\t%d ns/op\t%d %s/op\n", "A"+strings.ReplaceAll(name, "\t", ""),
					100*factor+b, b, strings.ReplaceAll(name, "\t", ""))
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
	if err := hostile.StoreRun(dir, names, time.Now()); err != nil {
		t.Fatal(err)
	}
}

// TestHostileJournals shows and compares runs with hostile names in their journals, in all formats. They lack blocks
// like the run of a gate that decided early.
func TestHostileJournals(t *testing.T) {
	t.Chdir(t.TempDir())
	var names []string
	for _, name := range hostileNames(130) {
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
			// with broken benchmarks
			if code, _ := typed(t, nil, "bench", "--resume", dir, "--format", format); code != 4 {
				t.Errorf("bench --resume of a finished run exits %d", code)
			}
			if format != "csv" {
				typed(t, nil, "compare", dir, other, "--format", format)
			}
		}
	}
}

// TestHostilePrograms checks names of locks and messages of panics, in all formats and both kinds of timeline.
func TestHostilePrograms(t *testing.T) {
	t.Chdir(t.TempDir())
	for i, name := range mixed() {
		w := []*workload.Workload{hostile.Workload(name)}
		for _, format := range []string{"table", "json", "csv", "bench", "md"} {
			typed(t, w, "sim", "sour", "--designs", "lock,panic,wrong", "--cost", "none", "--operations", "4",
				"--warmup", "0s", "--cpus", "2", "-o", fmt.Sprint("run-", i, format), "--format", format)
		}
		for _, picture := range []string{"svg", "json"} {
			file := fmt.Sprint("timeline", i, ".", picture)
			typed(t, w, "sim", "sour", "--designs", "lock", "--cost", "none", "--operations", "4", "--warmup", "0s",
				"--cpus", "2", "-o", fmt.Sprint("line-", i, picture), "--timeline", file)
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			harmless(t, []string{"--timeline", picture}, "file", string(text))
		}
		typed(t, w, "list", "sour")
		typed(t, w, "list", "--format", "json")
	}
}

// TestHostileProfiles checks names of functions and files in saved profiles.
func TestHostileProfiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cpu\x1b]0;x\x07.pprof")
	for _, name := range hostileNames(200) {
		name = strings.ToValidUTF8(name, "?")
		text, err := hostile.Profile("main."+name, "/src/"+name+".go", name)
		if err := errors.Join(err, os.WriteFile(file, text, 0o666)); err != nil {
			t.Fatal(err)
		}
		for _, format := range []string{"table", "json"} {
			typed(t, nil, "explain", file, "--format", format)
			typed(t, nil, "explain", "--before", file, "--after", file, "--format", format)
		}
	}
}

// TestHostileFlags checks that errors quote arguments, lines of allow-lists and environment variables.
func TestHostileFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	w := []*workload.Workload{hostile.Workload("plain")}
	for _, name := range hostileNames(60) {
		for _, args := range [][]string{
			{name}, {"help", name}, {"--" + name}, {"-" + name}, {"run", name}, {"run", "sour", "--count", name},
			{"run", "sour", "--cpus", name}, {"run", "sour", name},
			{"run", "sour", "--designs", name}, {"run", "sour", "--baseline", name}, {"run", "sour", "--format", name},
			{"run", "--resume", name + "/none"}, {"run", "sour", "--duration", name},
			{"sim", "sour", "--designs", "lock,panic,wrong", "--cost", name}, {"sim", "sour", "--precision", name},
			{"sim", "sour", "--replay-costs", name + "/none"}, {"sim", "sour", "--timeline", name},
			{"bench", "--count", name}, {"bench", "--cpus", name}, {"bench", "--env", name},
			{"bench", "--resume", name + "/none"}, {"bench", "--format", name},
			{"gate", "--max-regression", name, "--base", "b"},
			{"gate", "--max-regression", "5%", "--base", "b", "--allow", name + "/none"}, {"compare", name, name},
			{"compare", name},
			{"compare", name + "/none", name + "/no"}, {"explain", name + "/none"}, {"explain", "--format", name, "x"},
			{"list", name}, {"list", "--format", name},
			{"show", name}, {"show", "sour/" + name}, {"new", name + "/Ä"}, {"doctor", "--format", name},
			{"calibrate", "--format", name}, {"version", name}, {"completion", name}, {"--" + name + "=x", "run"},
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
