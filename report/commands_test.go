package report

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// commandsOf returns the page of two commands of 8 runs each, which use b and a bytes of memory. Up to 20 MB are
// unknown.
func commandsOf(b, a float64) Commands {
	return commandsWith(b, a, func(string, int) float64 { return 1 })
}

// commandsWith is commandsOf with times that a factor changes.
func commandsWith(b, a float64, factor func(design string, block int) float64) Commands {
	var trials []result.Trial
	names, cases := map[string]string{"b": "./old", "a": "./new"}, []plan.Case{{Design: "b"}, {Design: "a"}}
	for block := range 8 {
		for design, memory := range map[string]float64{"b": b, "a": a} {
			seconds := result.Value(0.1+0.001*float64(block*block%5)) * result.Value(factor(design, block))
			trials = append(trials, result.Trial{Kind: result.KindTrial, Workload: "command", World: result.Live,
				Type: result.Job, Design: design, Block: block, Status: result.OK, Expected: true,
				Metrics: result.Metrics{result.WallSeconds: seconds, result.CPUSeconds: seconds,
					result.MaxRSS: result.Value(memory), result.MemoryFloor: 20e6}})
		}
	}
	j := compare.DefaultCriteria("b", nil)
	j.BaselineOnly = true
	return Commands{j.Commands(compare.Rows(trials, cases), trials, names, names, nil)}
}

// TestUnknownMemory checks that the page leaves memory out if that of no command is known, unless all is wanted.
func TestUnknownMemory(t *testing.T) {
	const small, large = 20e6, 80e6
	for _, c := range []struct {
		b, a          float64
		st            Style
		shown, warned bool
	}{
		{small, small, Style{Width: 100}, false, false},
		{small, small, Style{Width: 100, Full: true}, true, true},
		{small, large, Style{Width: 100}, true, true},
		{large, large, Style{Width: 100}, true, false},
	} {
		page := commandsOf(c.b, c.a)
		var text strings.Builder
		if err := page.Table(&text, c.st); err != nil {
			t.Fatal(err)
		}
		table, rest, _ := strings.Cut(text.String(), "verdicts")
		shown := strings.Contains(table, "memory") && strings.Contains(rest, "memory: ./new")
		if shown != c.shown || strings.Contains(rest, "! memory below") != c.warned ||
			!c.shown && strings.Contains(text.String(), "memory") {
			t.Errorf("%v and %v bytes, full %t:\n%s", c.b, c.a, c.st.Full, &text)
		}
		if records := fmt.Sprint(page.Records()); !strings.Contains(records, result.MaxRSS) {
			t.Errorf("no record of the memory: %s", records)
		}
	}
}

// TestSkewedCommands checks that the page says that ratios are of means if the medians in its table contradict them.
func TestSkewedCommands(t *testing.T) {
	const note = "ratio : of the means over blocks; that of the medians differs for CPU time and wall time\n"
	for slow, want := range map[float64]bool{1: false, 3: true} {
		page := commandsWith(80e6, 80e6, func(design string, block int) float64 {
			switch {
			case design == "b":
				return 1
			case block < 3:
				return 10 * slow
			}
			return 10
		})
		for _, write := range []func(io.Writer, Style) error{page.Table,
			func(w io.Writer, _ Style) error { return page.Markdown(w) }} {
			var text strings.Builder
			if err := write(&text, Style{Width: 100}); err != nil ||
				strings.Contains(strings.ReplaceAll(text.String(), "  \n", "\n"), note) != want {
				t.Errorf("%v, slow %v:\n%s", err, slow, &text)
			}
		}
	}
}
