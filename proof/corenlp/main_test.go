package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/endpoint/corenlp"
	"github.com/brewput/brewput/endpoint/corenlp/standin"
	recorded "github.com/brewput/brewput/proof/record"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
)

// TestMain runs this program as the child of a trial, or as Java: the tests give its path as -java.
func TestMain(m *testing.M) {
	if standin.Serves(os.Args[1:]) {
		os.Exit(standin.Run(os.Args[1:], os.Getenv(standin.Mode), os.Stderr))
	}
	trial.Main(corenlp.Workload())
	os.Exit(m.Run())
}

// call runs a small campaign with the stand-in: five trials.
func call(t *testing.T, dir string, args ...string) (code int, printed string) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	code = run(t.Context(), append([]string{"-java", program, "-jars", dir, "-record", filepath.Join(dir, "record"),
		"-annotators", "pos", "-blocks", "1", "-duration", "100ms", "-warmup", "0"}, args...), &out, &out)
	return code, out.String()
}

// TestCampaign checks that a campaign stores its trials, continues, prints a row and notices the swapped annotator.
func TestCampaign(t *testing.T) {
	dir := t.TempDir()
	if code, printed := call(t, dir); code != 2 || !strings.Contains(printed, "stanford-corenlp-4.5.7.jar is missing") {
		t.Errorf("without CoreNLP: exit %d: %s", code, printed)
	}
	if err := standin.Install(dir); err != nil {
		t.Fatal(err)
	}
	if code, printed := call(t, dir, "-for", "1ns"); code != 3 || !strings.Contains(printed, "5 trials are left") {
		t.Errorf("no time: exit %d: %s", code, printed)
	}
	record := filepath.Join(dir, "record")
	var stored []byte
	for range 2 { // the second call has nothing to do
		code, printed := call(t, dir)
		if code != 0 || !strings.Contains(printed, "pos         20     2g    1 2 4 8  ") ||
			!strings.HasSuffix(printed, "right in 4 trials. A swapped annotator was noticed in 1 trials.\n") {
			t.Errorf("exit %d: %s", code, printed)
		}
		text, err := os.ReadFile(record)
		if err != nil || stored != nil && !bytes.Equal(text, stored) || bytes.Count(text, []byte("\n")) != 5 {
			t.Errorf("the record is %s, %v; it was %s", text, err, stored)
		}
		stored = text
	}
	code, printed := call(t, dir, "-warmup", "1ms")
	if code != 4 || !strings.Contains(printed, "record:1: a trial with") {
		t.Errorf("another warm-up: exit %d: %s", code, printed)
	}

	own, err := recorded.Self()
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Repeat("0", len(own))
	if n := bytes.Count(stored, []byte(own)); n != 5 {
		t.Errorf("%d trials have the hash of this program", n)
	}
	if err := os.WriteFile(record, bytes.ReplaceAll(stored, []byte(own), []byte(other)), 0o666); err != nil {
		t.Fatal(err)
	}
	code, printed = call(t, dir)
	if code != 4 || !strings.Contains(printed, "record:1: it was measured by another build") {
		t.Errorf("another build: exit %d: %s", code, printed)
	}
}

// TestWrong checks the exit codes of wrong parses and of servers that fail.
func TestWrong(t *testing.T) {
	for mode, want := range map[string]struct {
		code    int
		printed string
	}{
		standin.Swapped: {1, "a swapped annotator was not noticed"},
		standin.Refuses: {4, "Could not create the Java Virtual Machine"},
	} {
		dir := t.TempDir()
		if err := standin.Install(dir); err != nil {
			t.Fatal(err)
		}
		t.Setenv(standin.Mode, mode)
		if code, printed := call(t, dir); code != want.code || !strings.Contains(printed, want.printed) {
			t.Errorf("%s: exit %d: %s", mode, code, printed)
		}
	}
}

// TestUsage checks that wrong arguments are refused.
func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"more"}, {"-blocks", "0"}, {"-duration", "0"}, {"-speed", "1"},
		{"-warmup", "-1s"}} {
		if code, printed := call(t, t.TempDir(), args...); code != 2 || printed == "" {
			t.Errorf("%q: exit %d: %s", args, code, printed)
		}
	}
	for _, args := range [][]string{{"-annotators", "tree"}, {"-heap", "3g"}, {"-length", "7"}, {"-heap", "1g"}} {
		code, printed := call(t, t.TempDir(), args...)
		if code != 2 || !strings.Contains(printed, "no curve has these") {
			t.Errorf("%q: exit %d: %s", args, code, printed)
		}
	}
}

// TestKnee checks knees of curves that are known: two servers without and with contention, and one client only.
func TestKnee(t *testing.T) {
	for _, c := range []struct {
		clients    []int
		throughput []float64
		mean       float64 // of the first
		knee       int
		saturation float64
	}{
		{[]int{1, 2, 4, 8}, []float64{10, 20, 20, 20}, 0.1, 2, 2},
		{[]int{1, 2, 4, 8}, []float64{10, 18, 19, 15}, 0.1, 2, 1.9},
		{[]int{1, 2, 4, 8}, []float64{10, 15, 19, 21}, 0.1, 8, 2.1},
		{[]int{1}, []float64{10}, 0.1, 1, 1},
		{[]int{2, 4}, []float64{10, 10.5}, 0.2, 2, 0},
	} {
		k := curve{clients: c.clients, throughput: c.throughput, mean: []float64{c.mean}}
		if knee, saturation := k.knee(); knee != c.knee || saturation < c.saturation-1e-9 ||
			saturation > c.saturation+1e-9 {
			t.Errorf("%v: knee %d, saturation %v", c, knee, saturation)
		}
	}
}

// TestCurves checks that a row has the median of its trials, without those that were wrong.
func TestCurves(t *testing.T) {
	c := campaign{blocks: 3}
	x := c.cells()[1] // two clients
	var entries []entry
	for i, throughput := range []result.Value{30, 10, 20, 1000} {
		entries = append(entries, entry{Cell: x, Block: i, Throughput: throughput, Mean: throughput / 10, Server: 1,
			Status: result.OK, Window: time.Second})
	}
	entries[3].Status = result.Wrong
	of := x
	of.Clients = 0
	want := []curve{{of: of, clients: []int{2}, throughput: []float64{20}, mean: []float64{2}, server: []float64{1},
		trials: 3}}
	if got := c.curves(entries); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestOrder checks that a block has each cell once, and blocks other orders.
func TestOrder(t *testing.T) {
	cells := (&campaign{}).cells()
	if len(cells) != 45 {
		t.Errorf("%d cells", len(cells))
	}
	seen := map[cell]bool{}
	for _, x := range order(cells, 0) {
		seen[x] = true
	}
	if len(seen) != len(cells) || reflect.DeepEqual(order(cells, 0), order(cells, 1)) ||
		!reflect.DeepEqual(order(cells, 1), order(cells, 1)) {
		t.Error("orders of blocks", len(seen))
	}
}
