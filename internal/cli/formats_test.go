package cli_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/brewput/brewput/catalog"
	"github.com/brewput/brewput/internal/cli"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/tools/schematest"
)

// brewputCommand runs the command in this process. Only its trials are processes of their own.
func brewputCommand(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := cli.Run(context.Background(), catalog.All(), args, strings.NewReader(""), &stdout, &stderr); code != 0 {
		t.Fatalf("%v exits %d: %s", args, code, stderr.String())
	}
	validate(t, stdout.Bytes())
	return stdout.String()
}

// validate checks that the records of an output match the schemas.
func validate(t *testing.T, output []byte) {
	t.Helper()
	v, err := schematest.New()
	if err == nil {
		err = v.Output(output)
	}
	if err != nil {
		t.Error(err)
	}
}

// TestBenchstatAgrees checks that benchstat reads --format bench and computes the same medians.
func TestBenchstatAgrees(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	bench := brewputCommand(t, "run", "coffee", "--designs", "locking,finelocking", "--cpus", "1", "--workers", "1,2",
		"--stage", "10us", "--operations", "50", "--count", "7", "--format", "bench", "-o", dir)
	file := filepath.Join(t.TempDir(), "bench.txt")
	if err := os.WriteFile(file, []byte(bench), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "tool", "-modfile=tools/lint.mod", "benchstat", "-format", "csv", file)
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("benchstat: %v\n%s", err, out)
	}
	theirs := benchstatMedians(t, string(out))
	compared := 0
	for line := range strings.Lines(brewputCommand(t, "run", "--resume", dir, "--format", "json")) {
		var s result.Summary
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		unit, scale := "", 1.0
		switch {
		case s.Kind != "summary":
			continue
		case s.Metric == result.Throughput:
			unit = "ops/s"
		case s.Metric == result.LatencyMean:
			unit, scale = "sec/op", 1e-9
		case s.Metric == result.LatencyP50:
			unit, scale = "p50-sec", 1e-9
		default:
			continue
		}
		name := "Coffee/design=" + s.Design + "/world=live/workers=" + strconv.Itoa(s.Point.Int("workers")) +
			"/stage=10us/jitter=0s-1"
		got, ok := theirs[unit+" "+name]
		if want := float64(s.Median) * scale; !ok || math.Abs(got-want) > 1e-12*math.Abs(want) {
			t.Errorf("%s of %s: benchstat says %v (%v), we %v", unit, name, got, ok, want)
		}
		compared++
	}
	if compared != 12 {
		t.Errorf("%d medians compared, want 12: 2 designs, 2 points, 3 metrics", compared)
	}
}

// benchstatMedians reads benchstat's CSV. The keys are "UNIT NAME".
func benchstatMedians(t *testing.T, text string) map[string]float64 {
	t.Helper()
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord = -1
	records, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	medians, unit := map[string]float64{}, ""
	for _, rec := range records {
		if len(rec) >= 2 && rec[0] == "" {
			unit = rec[1]
		} else if len(rec) >= 2 {
			if v, err := strconv.ParseFloat(rec[1], 64); err == nil {
				medians[unit+" "+rec[0]] = v
			}
		}
	}
	return medians
}

// TestNewProgram builds, tests and runs what brewput new writes, outside of this tree, with the commands that it
// prints. It needs no network: this program was built from a checkout, which the new module uses.
func TestNewProgram(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
	above := t.TempDir()
	dir := filepath.Join(above, "mybench")
	t.Chdir(above)
	said := brewputCommand(t, "new", "mybench")
	for _, line := range strings.Split(said, "\n") {
		args := strings.Fields(line)
		if len(args) == 0 || args[0] != "go" {
			continue
		}
		if args[1] == "run" {
			args = append(args[:len(args)-2], "--cpus", "1", "--operations", "20", "--count", "1", "--format", "json")
		}
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, stderr.String())
		}
		if args[1] != "run" {
			continue
		}
		for _, want := range []string{`"workload":"mybench","design":"coarse"`, `"design":"fine"`, `"status":"ok"`} {
			if !strings.Contains(stdout.String(), want) {
				t.Errorf("%v does not print %s:\n%s", args, want, stdout.String())
			}
		}
	}
	if !strings.Contains(said, "go test .\n  go run . run mybench") || strings.Contains(said, "tidy") {
		t.Errorf("new does not say how to go on:\n%s", said)
	}
	wantDoctor(t, dir)
	text, err := os.ReadFile(filepath.Join(dir, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gofmt", "-l", dir).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("gofmt would change what new writes: %s %v\n%s", out, err, text)
	}
}

// wantDoctor runs doctor in a user's own program. Its children must know doctor's trials, although the program names
// its own workload only. The time limit may end them early.
func wantDoctor(t *testing.T, dir string) {
	t.Helper()
	cmd := exec.Command("go", "run", ".", "doctor", "--time-limit", "2s", "--format", "json")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), `"check":"noise"`) ||
		strings.Contains(string(out), "gave no result") {
		t.Errorf("doctor in a program of one's own: %v\n%s", err, out)
	}
}
