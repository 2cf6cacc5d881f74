package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// analyses measures and judges until it is known, or the time or the blocks are over.
func (g *gateRun) analyses(ctx context.Context, began time.Time, budget time.Duration, end sweep.Store) (trials []result.Trial, interrupted bool, err error) {
	ahead := g.gate.Looks
	if ahead[0] > 1 {
		ahead = append([]int{1}, ahead...) // which alone tells how long the others take
	}
	for {
		n := ahead[0]
		if trials, interrupted, err = g.upTo(ctx, n); err != nil || interrupted {
			return nil, interrupted, err
		}
		elapsed := time.Since(began)
		each := elapsed / time.Duration(n)
		var short bool
		if ahead, short = withinBudget(n, ahead[1:], each, elapsed, budget); short {
			g.why = fmt.Sprintf("the budget of %v ends after %s of about %s each", budget,
				result.Count(slices.Max(append(ahead, n)), "block"), roundDuration(each))
		}
		if n < g.gate.Looks[0] && len(ahead) > 0 && exitCode(trials) == exitOK {
			continue
		}

		if err := g.look(trials, len(ahead) == 0, end); err != nil {
			return nil, false, err
		}
		if len(ahead) == 0 || compare.Decided(g.list) != compare.Undecided || exitCode(trials) != exitOK {
			return trials, false, nil
		}
	}
}

// withinBudget are the numbers of blocks of the analyses to come, after some blocks of which each took a time. If the budget
// ends before the next one that is planned, there is one after the blocks that it suffices for, or none; short says so.
// A budget of 0 has no end.
func withinBudget(done int, planned []int, each, elapsed, budget time.Duration) (ahead []int, short bool) {
	const reserve = 0.97 // blocks differ a little in the time that they take
	if len(planned) == 0 || budget <= 0 || each <= 0 {
		return planned, false
	}
	fit := done + int(reserve*max(0, float64(budget-elapsed))/float64(each))
	switch {
	case fit >= planned[0]:
		return planned, false
	case fit > done:
		return []int{fit}, true
	}
	return nil, true
}
