package report

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/brewput/brewput/result"
)

func TestCalibration(t *testing.T) {
	none := result.Unavailable
	c := result.Calibration{Rounds: 16, Seconds: 17.4, Prices: []result.CostEstimate{
		{Cost: "chan", Estimate: result.Estimate{Median: 31.4, Low: 17.9, High: 32.6}, P10: none, P90: none,
			Reading: "operations/chan", Live: 62.8, Virtual: 63},
		{Cost: "wake", Estimate: result.Estimate{Median: 55_200, Low: 47_100, High: 57_300}, P10: 35_800, P90: 86_800,
			Reading: "handoff/handoff@20µs..200µs", Live: 155_000, Virtual: 156_000},
		{Cost: "rouse", Estimate: result.Estimate{Median: 20_900, Low: none, High: none}, P10: 11_000, P90: 33_000,
			Reading: "handoff/rouse@20µs..2ms", Live: 22_900, Virtual: none},
		{Cost: "burn", Estimate: result.Estimate{Median: 980_100, Low: 976_000, High: 986_400}, P10: 948_000,
			P90: 1_060_000, Reading: "operations/burn", Live: 980_000, Virtual: 983_000},
	}, HandOvers: []result.HandOver{
		{Cost: "wake", Reading: "handoff/handoff@20µs..200µs",
			Live:    result.UpperQuantiles{P50: 99_100, P90: 118_000, P99: 163_000},
			Virtual: result.UpperQuantiles{P50: 99_300, P90: 117_000, P99: 177_000}},
		{Reading: "handoff/handoff@0s..2ms", Live: result.UpperQuantiles{P50: 95_700, P90: 116_400, P99: none},
			Virtual: result.UpperQuantiles{P50: 95_200, P90: 116_200, P99: 1_720_000}},
	}, Ladder: []result.OperationCost{
		{Operation: "add to a word", Same: result.Estimate{Median: 2.05, Low: 1.54, High: 2.28},
			Other: result.Estimate{Median: none, Low: none, High: none}},
		{Operation: "lock and unlock", Same: result.Estimate{Median: 7.64, Low: 5, High: 7.96},
			Other: result.Estimate{Median: 21.9, Low: 15.5, High: 23.7}},
	}, Warnings: []string{"this machine has one CPU, so the costs of wake-ups and of work stealing are typical ones"}}
	about := []string{"calibrate", "Some CPU", "2 CPUs", "linux/amd64", "go1.26.0"}
	for name, st := range map[string]Style{
		"calibration-unicode-100.txt": {Width: 100, Unicode: true},
		"calibration-ascii-60.txt":    {Width: 60},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Calibration(&b, about, c, st); err != nil {
				t.Fatal(err)
			}
			golden(t, name, b.Bytes())
			for line := range strings.Lines(b.String()) {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > st.Width {
					t.Errorf("%d columns: %q", n, line)
				}
			}
		})
	}
}
