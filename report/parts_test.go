package report

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// TestParts checks that a page has its optional parts only if they are wanted, and ends with the answer.
func TestParts(t *testing.T) {
	page := func(st Style) string {
		var b bytes.Buffer
		answer := compare.Answer{Text: []string{"The answer."}}
		if err := Table(&b, shops(), nil, nil, answer, st); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	marks := map[string]string{"plots": "throughput against cpus", "latency": "latency  box",
		"resources": ": resources", "cpu": ": core-seconds"}
	plainPage, full := page(Style{}), page(Style{Full: true})
	for name, mark := range marks {
		if strings.Contains(plainPage, mark) {
			t.Errorf("%s are there by default", name)
		}
		if !strings.Contains(full, mark) {
			t.Errorf("the full page lacks %s", name)
		}
		if one := page(Style{Parts: []string{name}}); !strings.Contains(one, mark) || len(one) >= len(full) {
			t.Errorf("--show %s does not show %q alone", name, mark)
		}
	}
	for _, p := range []string{plainPage, full} {
		if !strings.HasSuffix(p, "\n\nThe answer.\n") {
			t.Errorf("the answer is not last:\n%s", p)
		}
	}
	if UnknownPart([]string{"evidence", "cpu", "plots", "overhead"}) != "" {
		t.Error("parts of explain are not known")
	}
	if UnknownPart([]string{"plots", "plot"}) != "plot" || UnknownPart(PartNames()) != "" {
		t.Error("parts are not known")
	}
}

// TestBusiest checks which resource stands for a row.
func TestBusiest(t *testing.T) {
	idle := result.Resource{Name: "idle", Utilization: ptr(0.1), WaitMeanNs: ptr(9.0)}
	busy := result.Resource{Name: "busy", Utilization: ptr(0.9)}
	waited := result.Resource{Name: "waited", Utilization: ptr(0.9), WaitMeanNs: ptr(1.0)}
	shared := result.Resource{Name: "shared", Violations: 1}
	for _, c := range []struct {
		list []result.Resource
		want string
	}{
		{[]result.Resource{idle, busy}, "busy"},
		{[]result.Resource{busy, waited, idle}, "waited"},
		{[]result.Resource{busy, shared}, "shared"},
	} {
		if got := busiest(c.list); len(got) != 1 || got[0].Name != c.want {
			t.Errorf("%v: %v", c.list, got)
		}
	}
	if busiest(nil) != nil {
		t.Error("a resource out of nothing")
	}
}

// TestWholeWarnings checks that a long warning is wrapped, not cut, on a page of any width.
func TestWholeWarnings(t *testing.T) {
	text := "the first clause is of a certain length; the second clause has much the same length, so that both are " +
		"long: and the third clause goes on and on until it does not fit on two lines of a page any more at all"
	for _, width := range []int{40, 80, 120} {
		var b strings.Builder
		writeCaution(&b, text, "(every row)", caution, Style{Width: width})
		if got := strings.Join(strings.Fields(b.String()), " "); got != "! "+text+" (every row)" {
			t.Errorf("%d columns: %s", width, got)
		}
	}
	if !sameButNumbers("cover 15% of 3", "cover 93.5% of 12") || sameButNumbers("cover 15%", "miss 15%") ||
		sameButNumbers("p99 is late", "p95 is late") || sameButNumbers("at main.go:12", "at main.go:15") {
		t.Error("texts are not told apart by their words")
	}
}

// TestCorrelationWarning checks that the warning about correlated blocks has its figure, on at most three lines.
func TestCorrelationWarning(t *testing.T) {
	var trials []result.Trial
	for block := range 16 {
		seconds := result.Value(1 + 0.01*float64(block%2))
		if block >= 5 && block < 11 {
			seconds *= 2
		}
		trials = append(trials, result.Trial{Kind: result.KindTrial, Workload: "command", Design: "a", Block: block,
			World: result.Live, Type: result.Job, Status: result.OK,
			Metrics: result.Metrics{result.WallSeconds: seconds}})
	}
	i := slices.IndexFunc(compare.Warnings(trials, nil), func(w compare.Warning) bool {
		return w.Warning == compare.WarnSerial
	})
	if i < 0 {
		t.Fatal("the blocks are not correlated")
	}
	var b strings.Builder
	writeCaution(&b, compare.Warnings(trials, nil)[i].Text, "", caution, Style{Width: 80})
	text := strings.Join(strings.Fields(b.String()), " ")
	if n := strings.Count(b.String(), "\n"); n > 3 ||
		!regexp.MustCompile(`intervals of medians are about [0-9.]+ times too narrow; stop`).MatchString(text) {
		t.Error(text)
	}
}

// TestHeadings checks that the remark on a part is next to its title, below it, or wrapped.
func TestHeadings(t *testing.T) {
	for width, want := range map[int]string{
		70: "coffee: verdicts  the chance of any false difference is at most 5%\n",
		60: "coffee: verdicts\nthe chance of any false difference is at most 5%\n",
		40: "coffee: verdicts\nthe chance of any false difference is at\nmost 5%\n",
	} {
		var b strings.Builder
		writeHeading(&b, "coffee: verdicts", "the chance of any false difference is at most 5%", Style{Width: width})
		if b.String() != want {
			t.Errorf("width %d:\n%s", width, &b)
		}
	}
}

// TestMergedWarnings checks that a warning of many rows keeps its text, and that its numbers are those of all rows.
func TestMergedWarnings(t *testing.T) {
	var rows []compare.Row
	for i := range 24 {
		r := compare.Row{Workload: "sort", Design: fmt.Sprintf("mergedesign%02d", i), World: result.Live}
		if i > 0 {
			r.Warnings = []string{fmt.Sprintf("the p99 lag is %d%% of the median: measure longer", 33-i)}
		}
		rows = append(rows, r)
	}
	var b strings.Builder
	writeMessages(&b, "warnings", caution, nil, rows, func(r compare.Row) []string { return r.Warnings },
		Style{Width: 80})
	want := "warnings ! the p99 lag is 10 to 32% of the median: measure longer (23 of 24 rows: mergedesign01, " +
		"mergedesign02, mergedesign03, mergedesign04, 19 more)"
	if got := strings.Join(strings.Fields(b.String()), " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestMergedErrors checks that errors that differ only in ports, counts of requests, or the time of a log are one.
// Those at two lines, of two kinds or about two values are not.
func TestMergedErrors(t *testing.T) {
	errors := []string{
		"283 of 1391 requests failed: dial tcp 127.0.0.1:8252: refused; ./server -addr :8252 --port=8252 ended",
		"10028 of 12028 requests failed: dial tcp 127.0.0.1:27039: refused; ./server -addr :27039 --port=27039 ended",
		"dial tcp [::1]:13511: refused; 2026/11/27 17:03:17 PORT=1 process 17; time=2026-11-27T17:03:17.1Z",
		"dial tcp [::1]:13512: refused; 2026/11/27 17:03:18 PORT=22 process 4023; time=2026-11-27T17:03:18.2Z",
		"it counts 215811 words instead of 215830", "it counts 215828 words instead of 215830",
		"data race at main.go:1234", "data race at main.go:1500", "exit status 1", "exit status 2",
	}
	rows := []compare.Row{{Workload: "http", Design: "server", World: result.Live, Errors: errors}}
	for show, want := range map[string]string{
		"": "errors ! " + errors[0] + " (every row; 1 more with other numbers) ! " + errors[2] +
			" (every row; 1 more with other numbers) ! " + strings.Join(errors[4:], " (every row) ! ") + " (every row)",
		"warnings": "errors ! " + strings.Join(errors, " (every row) ! ") + " (every row)",
	} {
		var b strings.Builder
		writeMessages(&b, "errors", alarm, nil, rows, func(r compare.Row) []string { return r.Errors },
			Style{Width: 80, Parts: []string{show}})
		if got := strings.Join(strings.Fields(b.String()), " "); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestNamesAtLines checks where the names of series are: at the ends of their lines, or in a legend.
func TestNamesAtLines(t *testing.T) {
	var rows []compare.Row
	for i, name := range []string{"slow", "fast"} {
		for _, cpus := range []int{1, 2, 4} {
			rows = append(rows, row(name, 10, map[string]float64{result.Throughput: float64(100 * (1 + i*cpus))},
				set("cpus", cpus)))
		}
	}
	plot := func(rows []compare.Row) string {
		var b bytes.Buffer
		if err := drawn(&b, rows, Style{Width: 80}, writePlots); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if got := plot(rows); !strings.Contains(got, "A slow\n") || strings.Contains(got, "\n  A slow") {
		t.Errorf("no name at the end of the line:\n%s", got)
	}
	if got := plot(rows[:5]); !strings.Contains(got, "\n  A slow") {
		t.Errorf("a line ends early, and there is no legend:\n%s", got)
	}
	for i := range rows {
		rows[i].Metrics[result.Throughput] = rows[0].Metrics[result.Throughput]
		rows[i].Design = string(rune('a' + i/3))
	}
	more := append(rows, rows...)
	for i := range more[6:] {
		more[6+i].Design = string(rune('c' + i/3))
	}
	if got := plot(more); !strings.Contains(got, "\n  A a") {
		t.Errorf("four names at one place, and there is no legend:\n%s", got)
	}
}
