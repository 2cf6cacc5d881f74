package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/tools/hostile"
)

// TestInvalidValues checks that files with only invalid values are refused in every format, and that lines with such
// values are left out. The median is that of the remaining values.
func TestInvalidValues(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	compare := func(older, newer, format string) (string, string, error) {
		var out, errs bytes.Buffer
		err := (&app{stdout: &out, stderr: &errs, text: &out}).compareSides(t.Context(), []string{older},
			[]string{newer}, format, nil)
		return out.String(), errs.String(), err
	}
	const badText = "BenchmarkNeg-2 1000 -5 ns/op\nBenchmarkNeg-2 1000 NaN ns/op\nBenchmarkNeg-2 1000 1e308 MB/s\n"
	bad := file("bad.txt", badText)
	good := file("good.txt", "BenchmarkA 1 5 ns/op\nBenchmarkA 1 6 ns/op\nBenchmarkNeg-2 1 6 "+
		"ns/op\nBenchmarkNeg-2 1 6 ns/op\n")
	mixed := file("mixed.txt", "BenchmarkA 1 5 ns/op\nBenchmarkA 1 7 ns/op\nBenchmarkA 1 -3 ns/op\nBenchmarkNeg-2 "+
		"1000 -5 ns/op\nBenchmarkNeg-2 1000 NaN ns/op\nBenchmarkB 0x1 5 ns/op\n")
	for _, format := range []string{"table", "json", "md", "bench"} {
		for _, pair := range [][2]string{{bad, good}, {good, bad}, {bad, file("worse.txt", badText)}} {
			if _, _, err := compare(pair[0], pair[1], format); !errors.As(err, new(exitError)) ||
				!strings.Contains(err.Error(), "no ns/op is left of Neg (cpus 2)") {
				t.Errorf("%s: %v", format, err)
			}
		}
		out, errs, err := compare(good, mixed, format)
		text := strings.Join(strings.Fields(out+errs), " ") // the names of the files decide where lines are wrapped
		if err != nil || !strings.Contains(text, "negative: A, Neg; no ns/op is left of Neg (cpus 2)") ||
			!strings.Contains(text, "cannot be read") {
			t.Errorf("%s: %v\n%s", format, err, text)
		}
		if strings.Contains(out, "unavailable") || format == "bench" && strings.Count(out, "BenchmarkNeg") != 2 {
			t.Errorf("%s:\n%s", format, out)
		}
	}
}

// TestFilesOfASide checks several files on a side: they are its replicates, and the page and JSON say how many there
// are. Different machines, and files mixed with runs on a side, are refused.
func TestFilesOfASide(t *testing.T) {
	t.Chdir(t.TempDir())
	file := func(name, head string, levels ...float64) {
		text := head
		for _, x := range levels {
			text += fmt.Sprintf("BenchmarkA 100 %v ns/op 7 B/op\n", x)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, level := range map[string]float64{"o1": 100, "o2": 104, "o3": 97, "n1": 106, "n2": 101, "n3": 103,
		"far1": 200, "far2": 204} {
		file(name, "goos: linux\n", level, level+0.1, level-0.1, level+0.2, level-0.2)
	}
	file("single", "goos: linux\n", 97)
	file("torn", "goos: linux\nBenchmarkA 1", 106, 106.1, 105.9)
	if err := os.WriteFile("units", []byte("BenchmarkA 1 7 B/op 3 x\nBenchmarkA 1 7 B/op 3 x\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	file("copy", "goos: linux\n", 100, 100.1, 99.9, 100.2, 99.8)
	file("other", "goos: darwin\n", 100, 101)
	file("unknown", "", 100, 101)
	if err := hostile.StoreRun("run", []string{"A"}, time.Now()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		older, newer, format, want string
		code                       int
	}{
		{"o1", "n1", "table", "slower|each side is one run", 0},
		{"o1,o2,o3", "n1,n2,n3", "table", "old is 3 files (o1, o2, o3), new is 3 files (n1, n2, n3) unpaired: the " +
			"files or runs of a side are the replicates|undecided|more runs of each side would decide", 0},
		{"o1,o2,o3", "far1,far2", "table", "15, 10|slower", 0},
		{"o1,o2,o3", "far1", "table", "undecided|about 1 more run of each side would decide", 0},
		{"o1,o2,single", "far1,far2", "md", "11, 10|slower", 0},
		{"o1,o2,o3", "n1,n2", "json", `"runs_a":2,"runs_b":3,"paired":false|"n_a":10,"n_b":15,"runs_a":2,"runs_b":3|"verdict":"undecided"`, 0},
		{"o1,copy", "n1,n2", "md", "copy: the results are the same as those of o1: a copy is not a replicate", 0},
		{"o1,o2", "n1,unknown", "md", "the old file o1 has a line goos: linux, and the new file unknown has none", 0},
		{"o1,o2", "n1,n2", "bench", "side: old|100.1 ns/op|side: old|104.1 ns/op|side: new|106.1 ns/op|side: new|101.1",
			0},
		{"o1", "units", "table", "time/op only in the old: A|x only in the new: A", 0},
		{"units", "o1", "json", `time/op only in the new: A|x only in the old: A`, 0},
		{"o1", "torn", "table", "torn: lines left out because they begin like results and cannot be read: 1", 0},
		{"o1,other", "n1", "table", "o1 and other are from two machines: goos is linux in the old file o1 and darwin " +
			"in the old file other", 2},
		{"o1,run", "n1", "table", "o1 is a file and run is a run: give only files or only runs on a side", 2},
	} {
		var out, errs bytes.Buffer
		older, newer := strings.Split(c.older, ","), strings.Split(c.newer, ",")
		err := (&app{stdout: &out, stderr: &errs, text: &out}).compareSides(t.Context(), older, newer, c.format, nil)
		text := out.String() + errs.String()
		if (err != nil) != (c.code > 0) {
			t.Errorf("%s %s: %v", c.older, c.newer, err)
		}
		if err != nil {
			text = err.Error()
		}
		rest := strings.Join(strings.Fields(text), " ")
		for _, part := range strings.Split(c.want, "|") {
			at := strings.Index(rest, part)
			if at < 0 {
				t.Errorf("%s %s as %s: no %q, in this order, in\n%s", c.older, c.newer, c.format, part, text)
				break
			}
			rest = rest[at+len(part):]
		}
	}
}

// TestLeftOfAHead checks that invalid values are left out of a file whose head is compared.
func TestLeftOfAHead(t *testing.T) {
	t.Chdir(t.TempDir())
	const two = "BenchmarkA 1 5 ns/op\nBenchmarkA 1 6 ns/op\n"
	if err := errors.Join(os.WriteFile("old", []byte(two), 0o666),
		os.WriteFile("new", []byte("rev: base\n"+two+"rev: head\n"+two+"BenchmarkB 1 NaN ns/op\n"),
			0o666)); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err := (&app{stdout: &out, stderr: &out, text: &out}).compareSides(t.Context(), []string{"old"},
		[]string{"new"}, "md", nil)
	if err != nil || !strings.Contains(out.String(), "left out 1 value of ns/op") {
		t.Errorf("%v\n%s", err, &out)
	}
}
