package cli

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/sweep"
)

// TestConclusionText checks that the closing line names what it counts, what ended the run, and a flag that helps.
func TestConclusionText(t *testing.T) {
	const all = " is for all 40 blocks, which may not be enough"
	for _, c := range []struct {
		blocks, undecided int
		first             time.Duration // a block at the first interim analysis
		reason, of, want  string
	}{
		{40, 1, 0, compare.NoBlocks, " of wall time",
			"1 of 2 comparisons of wall time undecided: the maximum of this run is 40 blocks; --count without " +
				"--budget may be more"},
		{20, 1, 0, compare.NoBlocks, "", "1 of 2 comparisons undecided: " + compare.LostResponses},
		{40, 1, 0, compare.LostResponses, "", "1 of 2 comparisons undecided: " + compare.LostResponses},
		{10, 2, 0, compare.NoTime, "",
			"2 of 2 comparisons undecided: " + compare.NoTime + "; a --budget of about 88s" + all},
		{2, 2, 0, compare.NoTime, "",
			"2 of 2 comparisons undecided: " + compare.NoTime + "; a --budget of about 8m" + all},
		// A block of all cases takes 4 s. Later ones had fewer cases.
		{20, 1, 4 * time.Second, compare.NoTime, "",
			"1 of 2 comparisons undecided: " + compare.NoTime + "; a --budget of about 3m" + all},
		{38, 1, 0, compare.NoTime, "", "1 of 2 comparisons undecided: " + compare.NoTime},
		{10, 0, 0, compare.AllDecided, " of ns/op", "all comparisons of ns/op are decided"},
		{10, 0, 0, compare.AllDecided, "", "all comparisons are decided"},
	} {
		got := conclusionText(&sweep.Conclusion{Blocks: c.blocks, Most: 40, Spent: 20 * time.Second,
			Budget: time.Minute, Block: c.first, Undecided: c.undecided, Verdicts: 2, Reason: c.reason}, c.of)
		if got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestConclude checks that the closing line of a comparison of commands names their metric, and that one without a
// complete block has no estimate.
func TestConclude(t *testing.T) {
	for reason, want := range map[string]string{
		compare.AllDecided: "10 blocks, 20s of 1m0s: all comparisons of wall time are decided\n",
		compare.NoTime: "0 blocks, 20s of 1m0s: 1 of 1 comparisons of wall time undecided: " + compare.NoTime +
			"\n",
	} {
		r := lab.Run{Conclusion: &sweep.Conclusion{Blocks: 10, Most: 40, Spent: 20 * time.Second, Budget: time.Minute,
			Verdicts: 1, Reason: reason}}
		if reason == compare.NoTime {
			r.Conclusion.Blocks, r.Conclusion.Undecided = 0, 1
		}
		r.Header.Commands = json.RawMessage("{}")
		var b bytes.Buffer
		if (&app{notes: &b}).conclude(&r); b.String() != want {
			t.Errorf("%q, want %q", &b, want)
		}
	}
}
