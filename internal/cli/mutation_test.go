package cli_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/catalog"
	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/cli"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/internal/store/storetest"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

var mutationCount = flag.Int("mutations", 300, "how many stored runs TestMutations damages")

// shown is the output of a command for a stored run.
type shown struct {
	code   int
	stdout string
	stderr string
}

func show(args ...string) shown {
	var out, errs bytes.Buffer
	code := cli.Run(context.Background(), catalog.All(), args, strings.NewReader(""), &out, &errs)
	return shown{code, out.String(), errs.String()}
}

// noticed reports whether damage was noticed: by the exit code, another warning, or a run that is no longer complete.
func (s shown) noticed(whole shown) bool {
	warnings := func(s shown) int {
		return strings.Count(s.stderr, "warning: ") + strings.Count(s.stdout, "the run is unfinished")
	}
	return s.code != whole.code || warnings(s) > warnings(whole)
}

// storedRun is a run whose files are damaged.
type storedRun struct {
	name     string
	resume   []string // arguments that show it again
	virtual  bool     // missing trials can be calculated again
	files    map[string][]byte
	compared shown
	resumed  shown
}

// TestMutations damages journals and histograms of all kinds of runs, one position at a time. Either the damage is
// noticed, or the output is the same, byte for byte.
func TestMutations(t *testing.T) {
	t.Chdir(t.TempDir())
	runs := []*storedRun{
		{name: "live", resume: []string{"run"}},
		{name: "virtual", resume: []string{"sim"}, virtual: true},
		{name: "budget", resume: []string{"run"}},
		{name: "gate", resume: []string{"bench"}},
	}
	for _, r := range runs {
		for seed, dir := range []string{r.name, r.name + "-other"} {
			r.make(t, dir, seed+1)
		}
		r.read(t)
		if edited := editHeader(t, r.files["journal.ndjson"]); !r.damaged(t, "journal.ndjson", edited,
			"the header of "+r.name+", edited") {
			t.Errorf("the header of %s was edited, and nothing says so", r.name)
		}
	}

	noticed := map[string]int{}
	for n := range *mutationCount {
		r := runs[n%len(runs)]
		rng := rand.New(rand.NewPCG(uint64(n), 25))
		file := "journal.ndjson"
		if rng.IntN(4) == 0 {
			file = "histograms.ndjson"
		}
		kind, mutated := storetest.Mutate(rng, r.files[file])
		if r.damaged(t, file, mutated, fmt.Sprintf("mutation %d, %s of %s/%s", n, kind, r.name, file)) {
			noticed[kind]++
		}
	}
	t.Logf("%d mutations, noticed: %v", *mutationCount, noticed)
}

// make makes a complete run.
func (r *storedRun) make(t *testing.T, dir string, seed int) {
	t.Helper()
	switch r.name {
	case "live":
		said(t, "run", "null", "--designs", "stream,job", "--cpus", "1", "--operations", "500", "--count", "2",
			"--no-twin", "--seed", fmt.Sprint(seed), "-o", dir)
	case "virtual":
		said(t, "sim", "coffee", "--designs", "locking,multi", "--cpus", "1", "--cost", "none", "--stage", "10us",
			"--jitter", "1us", "--operations", "50", "--count", "3", "--seed", fmt.Sprint(seed), "-o", dir)
	case "budget":
		budgeted(t, dir, uint64(seed))
	case "gate":
		finishedRun(t, dir, []string{"Grind", "Press", "Steam"})
	}
}

// editHeader changes the header of a journal and its checksum.
func editHeader(t *testing.T, journal []byte) []byte {
	t.Helper()
	header, rest, _ := bytes.Cut(journal, []byte("\n"))
	body, _, ok := bytes.Cut(header, []byte(`,"crc":"`))
	edited := bytes.Replace(body, []byte(`"version":"`), []byte(`"version":"2`), 1)
	if !ok || bytes.Equal(edited, body) {
		t.Fatalf("no header to edit: %s", header)
	}
	sum := crc32.Checksum(edited, crc32.MakeTable(crc32.Castagnoli))
	return fmt.Appendf(edited, "%s%08x\"}\n%s", `,"crc":"`, sum, rest)
}

// TestOtherHeader combines the lines of a run with the header of a run with other costs, whose plan is the same.
func TestOtherHeader(t *testing.T) {
	t.Chdir(t.TempDir())
	var headers, rests [2][]byte
	for i, cost := range []string{"none", "wake=5us"} {
		dir := fmt.Sprintf("v%d", i)
		said(t, "sim", "coffee", "--designs", "locking", "--cpus", "1", "--cost", cost, "--stage", "10us",
			"--operations", "50", "--count", "2", "--seed", "7", "-o", dir)
		b, err := os.ReadFile(filepath.Join(dir, "journal.ndjson"))
		if err != nil {
			t.Fatal(err)
		}
		headers[i], rests[i], _ = bytes.Cut(b, []byte("\n"))
	}
	if err := os.WriteFile("v0/journal.ndjson", slices.Concat(headers[1], []byte("\n"), rests[0]), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, got := range []shown{show("sim", "--resume", "v0"), show("compare", "v0", "v1")} {
		want := filepath.Join("v0", "journal.ndjson") + ":3: its digest does not match"
		for _, w := range []string{want, "the header is that of another run",
			"restore the file as it was, or start a new run"} {
			if got.code != 2 || !strings.Contains(got.stderr, w) {
				t.Errorf("exit %d, and stderr lacks %q:\n%s", got.code, w, got.stderr)
			}
		}
	}
}

// read keeps the files of a run and its output.
func (r *storedRun) read(t *testing.T) {
	t.Helper()
	r.files = map[string][]byte{}
	for _, file := range []string{"journal.ndjson", "histograms.ndjson"} {
		b, err := os.ReadFile(filepath.Join(r.name, file))
		if err != nil {
			t.Fatal(err)
		}
		r.files[file] = b
	}
	r.compared, r.resumed = r.compare(), r.again()
	for _, s := range []shown{r.compared, r.resumed} {
		if s.code == 2 || s.stdout == "" || strings.Contains(s.stderr, "checksum") {
			t.Fatalf("%s: exit %d\n%s%s", r.name, s.code, s.stdout, s.stderr)
		}
	}
}

func (r *storedRun) compare() shown {
	return show("compare", r.name, r.name+"-other", "--format", "json")
}
func (r *storedRun) again() shown {
	return show(append(r.resume, "--resume", r.name, "--format", "json")...)
}

// damaged shows a run with one file replaced, and restores it. It reports whether that was noticed.
func (r *storedRun) damaged(t *testing.T, file string, content []byte, what string) (noticed bool) {
	t.Helper()
	defer func() {
		for name, b := range r.files {
			if err := os.WriteFile(filepath.Join(r.name, name), b, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}()
	if err := os.WriteFile(filepath.Join(r.name, file), content, 0o666); err != nil {
		t.Fatal(err)
	}
	check := func(how string, got, want shown) {
		told := got.noticed(want)
		if !told && got.stdout != want.stdout {
			t.Errorf("%s is silent: %s prints\n%s%s\nwhere it printed\n%s", what, how, got.stdout, got.stderr,
				want.stdout)
		}
		noticed = noticed || told
	}
	check("compare", r.compare(), r.compared)
	j, err := store.Open(r.name)
	if err == nil && !j.Ended && !r.virtual || err == nil && noticed && r.name == "budget" {
		return noticed // continuing would measure again, and the levels of a budget's tests take long to compute
	}
	check("--resume", r.again(), r.resumed)
	return noticed
}

// budgeted makes a complete run with a budget, whose trials take no time.
func budgeted(t *testing.T, dir string, seed uint64) {
	t.Helper()
	var w *workload.Workload
	for _, c := range catalog.All() {
		if c.Name == "coffee" {
			w = c
		}
	}
	point := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)},
		plan.Setting{Factor: "workers", Level: plan.IntLevel(1)},
		plan.Setting{Factor: "stage", Level: plan.DurationLevel(time.Millisecond)},
		plan.Setting{Factor: "jitter", Level: plan.DurationLevel(0)})
	interims := compare.InterimBlocks()
	h := sweep.Header{
		Workload: w.Name, World: result.Live, Version: "test", Started: time.Unix(int64(seed), 0),
		Seed: fmt.Sprint(seed), Blocks: interims[len(interims)-1],
		Cases:       []plan.Case{{Design: "locking", Point: point}, {Design: "finelocking", Point: point}},
		Environment: host.Read(), Warnings: []string{},
		Settings: sweep.Settings{Duration: sweep.Duration(time.Second), Sample: 1,
			TimeLimit: sweep.Duration(time.Minute)},
		Rule: &sweep.BudgetRule{Budget: sweep.Duration(time.Hour), InterimBlocks: interims,
			Equivalent: compare.EquivalentFrom, Different: compare.DifferentFrom,
			Spending: sweep.SpendingRule, Alpha: 0.05, Margin: 0.02},
	}
	p, err := h.Plan(w)
	if err != nil {
		t.Fatal(err)
	}
	run, err := store.Create(dir, h)
	if err != nil {
		t.Fatal(err)
	}
	j := compare.DefaultCriteria("", []string{"stage", "jitter"})
	j.Interims = compare.NewInterimPlan(interims, compare.EquivalentFrom)
	clock := time.Unix(0, 0)
	noise := rand.New(rand.NewPCG(seed, 1))
	s := &sweep.Sweep{Workload: w, Header: h, Plan: p, Store: run, Criteria: j, Notify: func(sweep.Event) {},
		Now: func() time.Time { return clock },
		Run: func(_ context.Context, spec trial.Spec) (trial.Outcome, error) {
			clock = clock.Add(time.Second)
			o := trial.Outcome{Trial: trial.Blank(spec),
				Histograms: map[string][]byte{"latency": {1, 2, 3, byte(spec.Block)}}}
			rate := result.Value(1000 * (1 + 0.02*noise.NormFloat64()))
			o.Trial.Status, o.Trial.Operations, o.Trial.WallSeconds = result.OK, 1000, 1
			o.Trial.Metrics = result.Metrics{result.Throughput: rate, result.LatencyMean: 1e9 / rate}
			return o, nil
		}}
	if _, err := s.Execute(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
}
