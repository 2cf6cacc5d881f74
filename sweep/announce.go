package sweep

import "github.com/brewput/brewput/trial"

// far is how many trials beyond a block are told of ahead: a runner begins twice as many as there are CPUs.
const lookahead = 1024

// ahead tells of the trials from block b to before until, as far as anybody looks ahead, and of more when half of that
// is done.
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

// missing are the specifications of the trials that were not run yet, of the cases in blocks from b to before until,
// until there are enough, and the block before which that is.
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
