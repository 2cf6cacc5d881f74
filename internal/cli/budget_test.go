package cli_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/brewput/brewput/catalog"
	"github.com/brewput/brewput/internal/cli"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/sweep"
)

// TestBudgetGoesOn cuts the journal of a run with a budget at different lines and resumes it. Stored decisions are
// not made again, the time spent still counts, and each block is there once.
func TestBudgetGoesOn(t *testing.T) {
	source := filepath.Join(t.TempDir(), "run")
	said(t, "run", "coffee", "--designs", "locking,finelocking", "--cpus", "1", "--stage", "10us", "--operations", "10",
		"--budget", "10m", "-o", source)
	whole := linesOf(t, filepath.Join(source, "journal.ndjson"))
	histograms := linesOf(t, filepath.Join(source, "histograms.ndjson"))
	var interims []int // lines of the interim analyses
	for i, l := range whole {
		if strings.HasPrefix(l, `{"kind":"look"`) {
			interims = append(interims, i)
		}
	}
	late := interims[(len(interims)-1)*3/4] // little is left to measure from here
	for _, keep := range []int{3, late, late + 1, len(whole) - 1} {
		dir := cutAt(t, whole[:keep], histograms)
		out := said(t, "run", "--resume", dir)
		if keep > 3 && !regexp.MustCompile(`[0-9]+ trials done, [0-9.hmµ]+s of 10m0s left`).MatchString(out) {
			t.Errorf("cut after line %d: it does not say what is done:\n%s", keep, out)
		}
		again := linesOf(t, filepath.Join(dir, "journal.ndjson"))
		if !slices.Equal(again[:keep], whole[:keep]) {
			t.Errorf("cut after line %d: what was decided has changed", keep)
		}
		j, err := store.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if !j.Ended || len(j.Interims) == 0 || len(j.Trials) != 4*len(j.Blocks) {
			t.Errorf("cut after line %d: ended %v, %d interim analyses, %d trials in %d blocks", keep, j.Ended,
				len(j.Interims), len(j.Trials), len(j.Blocks))
		}
		read, err := sweep.ReadInterims(j.Interims)
		for i := 1; i < len(read); i++ {
			if err != nil || read[i].After <= read[i-1].After {
				t.Errorf("cut after line %d: an interim analysis after block %d follows one after block %d, %v", keep,
					read[i].After, read[i-1].After, err)
			}
		}
		if spent := spentOf(again); !slices.IsSorted(spent) || len(spent) != len(j.Blocks) {
			t.Errorf("cut after line %d: time was given back: %v", keep, spent)
		}
	}
}

// said runs a command that must succeed, and returns its output.
func said(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if code := cli.Run(context.Background(), catalog.All(), args, strings.NewReader(""), &out, &out); code != 0 {
		t.Fatalf("%v: exit %d\n%s", args, code, out.String())
	}
	return out.String()
}

// cutAt makes a run directory from the first lines of another's journal.
func cutAt(t *testing.T, journal, histograms []string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, lines := range map[string][]string{"journal.ndjson": journal, "histograms.ndjson": histograms} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(lines, "")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestAllPairsGoOn checks that a run with all pairs continues although its blocks are still too few for them.
func TestAllPairsGoOn(t *testing.T) {
	source := filepath.Join(t.TempDir(), "run")
	said(t, "sim", "coffee", "--designs", "locking,finelocking,multi", "--cpus", "2", "--duration", "100ms", "--count",
		"14", "--compare", "all", "-o", source)
	whole := linesOf(t, filepath.Join(source, "journal.ndjson"))
	second := slices.IndexFunc(whole, func(l string) bool { return strings.Contains(l, `"block":1,`) })
	dir := cutAt(t, whole[:second], linesOf(t, filepath.Join(source, "histograms.ndjson")))
	if out := said(t, "sim", "--resume", dir, "--format", "json"); !strings.Contains(out, `"a":"multi","b":"locking"`) {
		t.Error("no verdict on multi and locking")
	}
}

// spentOf returns the times spent after each block of a journal, in seconds.
func spentOf(journal []string) []float64 {
	var spent []float64
	for _, l := range journal {
		if m := regexp.MustCompile(`^\{"kind":"block",.*"spent_seconds":([0-9.e-]+)`).FindStringSubmatch(l); m != nil {
			x, _ := strconv.ParseFloat(m[1], 64)
			spent = append(spent, x)
		}
	}
	return spent
}

func linesOf(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(strings.Lines(string(text)))
}
