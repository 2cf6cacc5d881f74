package sweep

import "github.com/brewput/brewput/trial"

// lookahead is the number of trials that are announced beyond a block. A runner begins twice as many as there are
// CPUs.
const lookahead = 1024

// announce tells Ahead which trials follow in blocks b to until-1, up to about lookahead trials. It announces more
// when half of those are done.
func (e *execution) announce(b, until int, cases []int) {
	if e.Ahead == nil || b < e.announceAt {
		return
	}
	specs, end := e.missingSpecs(b, until, cases, lookahead+len(cases))
	e.Ahead(specs)
	e.announceAt = until
	if end < until {
		e.announceAt = (b + end) / 2
	}
}

// missingSpecs returns the specifications of trials that have not run yet: those of the cases in blocks b to
// until-1. It stops after the first block with which there are enough, and end is the block after that.
func (e *execution) missingSpecs(b, until int, cases []int, enough int) (specs []trial.Spec, end int) {
	for ; b < until && len(specs) < enough; b++ {
		for _, spec := range e.specsOf(b, cases) {
			at := position{spec.Block, spec.Order}
			_, known := e.known[at]
			if _, had := e.stored[at]; !known && !had && e.limited[caseOf(spec)] == nil {
				specs = append(specs, spec)
			}
		}
	}
	return specs, b
}
