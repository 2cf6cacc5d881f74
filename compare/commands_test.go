package compare

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// analyzed analyses commands whose trials have these wall times, in seconds. CPU time is half of it. memory is that of
// all commands, and the floor is 20 MB.
func analyzed(t *testing.T, memory float64, walls map[string][]float64) *CommandAnalysis {
	t.Helper()
	var trials []result.Trial
	var cases []plan.Case
	names := map[string]string{}
	for _, design := range []string{"b", "a", "c"} {
		if walls[design] == nil {
			continue
		}
		names[design] = "./" + design
		cases = append(cases, plan.Case{Design: design})
		for i, wall := range walls[design] {
			trials = append(trials, result.Trial{Kind: result.KindTrial, Workload: "command", World: result.Live,
				Type: result.Job, Design: design, Block: i, Status: result.OK, Expected: true,
				Metrics: result.Metrics{result.WallSeconds: result.Value(wall),
					result.CPUSeconds: result.Value(wall / 2), result.MaxRSS: result.Value(memory),
					result.MemoryFloor: 20e6}})
		}
	}
	j := DefaultCriteria("b", nil)
	j.BaselineOnly = true
	return j.Commands(Rows(trials, cases), trials, names, names, nil)
}

// noisy returns ten times around a mean, with noise of about 1%.
func noisy(mean float64, shift int) (walls []float64) {
	for i := range 10 {
		walls = append(walls, mean*(1+0.01*math.Sin(float64((7*i*i+shift)*13))))
	}
	return walls
}

func TestCommands(t *testing.T) {
	c := analyzed(t, 100e6, map[string][]float64{"b": noisy(0.1, 0), "a": noisy(0.08, 3), "c": noisy(0.3, 5)})
	var got []string
	for _, v := range c.Verdicts {
		got = append(got, v.Metric+" "+v.A+"/"+v.B+" "+v.Verdict)
	}
	want := "wall_seconds a/b faster, wall_seconds c/b slower, cpu_seconds a/b better, cpu_seconds c/b worse, " +
		"max_rss_bytes a/b equivalent, max_rss_bytes c/b equivalent"
	if text := strings.Join(got, ", "); text != want {
		t.Errorf("%s, want %s", text, want)
	}
	if len(c.Answer) != 2 || !strings.HasPrefix(c.Answer[0], "./a takes 19.9% less time than ./b (") ||
		!strings.HasPrefix(c.Answer[1], "./c takes 3") || !strings.Contains(c.Answer[1], " times as long as ./b (") ||
		!strings.HasSuffix(c.Answer[0], ").") || !strings.HasSuffix(c.Answer[1], ").") {
		t.Errorf("%q", c.Answer)
	}
	if len(c.Warnings) != 0 {
		t.Errorf("%+v", c.Warnings)
	}
	records := c.Records()
	last, err := json.Marshal(records[len(records)-1])
	text, _ := json.Marshal(c.Answer)
	if want := `{"kind":"answer","schema_version":1,"text":` + string(text) + `}`; err != nil || string(last) != want {
		t.Errorf("%s, want %s", last, want)
	}
	first, _ := json.Marshal(records[0])
	if string(first) != `{"kind":"command","schema_version":1,"design":"b","command":"./b"}` {
		t.Errorf("%s", first)
	}
}

func TestCommandWarnings(t *testing.T) {
	cold, late := noisy(0.1, 0), noisy(0.004, 3)
	cold[0], late[4], late[7] = 0.3, 0.02, 0.01
	c := analyzed(t, 20.5e6, map[string][]float64{"b": cold, "a": late})
	var texts []string
	for _, w := range c.Warnings {
		if w.Workload != "command" || w.Kind != "warning" {
			t.Errorf("%+v", w)
		}
		texts = append(texts, w.Warning+": "+w.Text)
	}
	all := strings.Join(texts, "\n")
	for _, want := range []string{"outliers: 1 run of 10 of ./b took up to ", "it is the first run, which fills caches",
		"short-command: ./a takes 4.", "outliers: 2 runs of 10 of ./a took up to ", "memory-floor: memory below 20MB"} {
		if !strings.Contains(all, want) {
			t.Errorf("%s lacks %q", all, want)
		}
	}
	if !c.AtFloor("a") || !c.AtFloor("b") || c.AtFloor("nobody") {
		t.Error("the floor of memory is not seen")
	}
	for _, v := range c.Verdicts {
		if v.Metric == result.MaxRSS && (v.Verdict != Undecided || v.NoRatio == "" || v.Ratio.Known()) {
			t.Errorf("memory below the floor is compared: %+v", v)
		}
	}
}

func TestFewCommands(t *testing.T) {
	for _, c := range []*CommandAnalysis{analyzed(t, 1e8, nil),
		analyzed(t, 1e8, map[string][]float64{"b": {0.1}, "a": {0.2}})} {
		if len(c.Answer) != 1 ||
			c.Answer[0] != "No answer yet: at least 2 complete blocks are needed, and 6 to decide." {
			t.Errorf("%q", c.Answer)
		}
	}
}

func TestTimeAnswer(t *testing.T) {
	more, four := 12, 4
	for want, v := range map[string]Verdict{
		"new takes 12.3% less time than old (10.1% to 14.5%)": {Verdict: Faster, Ratio: 0.877, Low: 0.855, High: 0.899},
		"new takes 5.00% more time than old (2.00% to 8.10%)": {Verdict: Slower, Ratio: 1.05, Low: 1.02, High: 1.081},
		"new takes 3.21 times as long as old (3.1 to 3.3)":    {Verdict: Slower, Ratio: 3.21, Low: 3.1, High: 3.3},
		"new and old take the same time within 2% (-0.4% to +0.9%)": {Verdict: Equivalent, Margin: 0.02, Ratio: 1,
			Low: 0.996, High: 1.009},
		"Undecided: the time of new differs from that of old by -3.1% to +2.0%; about 12 more blocks would decide " +
			"(option count 20)": {
			Verdict: Undecided, Ratio: 1, Low: 0.969, High: 1.02, MoreBlocks: &more},
		"Undecided: the time of new differs from that of old by -3.0% to +2.0%; about 12 more blocks would decide " +
			"(option count 30 and no budget)": {
			Verdict: Undecided, Ratio: 1, N: 15, Low: 0.97, High: 1.02, MoreBlocks: &more, Interims: &four},
		"Undecided: the time of new differs from that of old by -2.0% to +2.0%; about 120 blocks would decide " +
			"(option count 120 and no budget)": {
			Verdict: Undecided, Ratio: 1, N: 40, Low: 0.98, High: 1.02, Interims: &four, EnoughBlocks: 120},
		"Undecided: 2 blocks do not show whether new or old takes less time": {Verdict: Undecided, Ratio: 1, N: 2,
			Low: 0.001, High: 1000},
		"new takes about 86% more time than old, rough: 2 blocks; about 4 more blocks would decide " +
			"(option count 10)": {
			Verdict: Undecided, Ratio: 1.8604, N: 2, Low: 1.834, High: 1.887, Paired: true, MoreBlocks: &four},
		"new takes about 20% less time than old, rough: 3 blocks": {Verdict: Undecided, Ratio: 0.801, N: 3, Low: 0.7,
			High: 0.9, Paired: true},
		"new takes about 3.2 times as long as old, rough: 2 blocks": {Verdict: Undecided, Ratio: 3.21, N: 2, Low: 3,
			High: 3.5, Paired: true},
		"Undecided: the time of new differs from that of old by +2.0% to +8.0%": {Verdict: Undecided, Ratio: 1.05, N: 9,
			Low: 1.02, High: 1.08, Paired: true},
	} {
		if got := timeAnswer(&v, "new", "old"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestBaselineOnly checks that commands are compared only with the first, not with each other.
func TestBaselineOnly(t *testing.T) {
	rows := []Row{{Design: "b", Job: true}, {Design: "a", Job: true}, {Design: "c", Job: true}}
	j := DefaultCriteria("b", nil)
	if n := j.FamilySize(rows); n != 3 {
		t.Errorf("%d comparisons with neighbours", n)
	}
	j.BaselineOnly = true
	if n := j.FamilySize(rows); n != 2 {
		t.Errorf("%d comparisons", n)
	}
}
