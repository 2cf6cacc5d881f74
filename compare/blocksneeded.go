package compare

import (
	"fmt"

	"github.com/brewput/brewput/result"
)

// BlocksNeeded is how many blocks would decide the undecided verdicts of a run. Its zero value means unknown.
type BlocksNeeded struct {
	More   int // further blocks
	Enough int // beyond the last analysis of a run with a budget: blocks of a run without one
}

// BlocksToDecide returns the blocks that would decide all of the undecided verdicts.
func BlocksToDecide(undecided []Verdict) (n BlocksNeeded) {
	for _, v := range undecided {
		switch {
		case v.EnoughBlocks > 0:
			n.Enough = max(n.Enough, v.EnoughBlocks)
		case v.MoreBlocks == nil || !v.Paired: // a run that has ended gets no more blocks
			return BlocksNeeded{}
		default:
			n.More = max(n.More, *v.MoreBlocks)
		}
	}
	return n
}

// Known reports whether the number is known.
func (n BlocksNeeded) Known() bool { return n != BlocksNeeded{} }

// Text names a known number of blocks or replications, as in "about 7 more blocks" and "a count of about 120 without a
// budget".
func (n BlocksNeeded) Text(replicate string) string {
	if n.Enough > 0 {
		return fmt.Sprintf("a count of about %d without a budget", n.Enough)
	}
	return "about " + result.Count(n.More, "more "+replicate)
}
