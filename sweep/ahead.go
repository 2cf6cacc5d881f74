package sweep

import "github.com/brewput/brewput/trial"

// far is how many trials beyond a block are told of ahead: a runner begins twice as many as there are CPUs.
const far = 1024

// ahead tells of the trials from block b to before until, as far as anybody looks ahead, and of more when half of that
// is done.
func (e *execution) ahead(b, until int, cases []int) {
	if e.Ahead == nil || b < e.again {
		return
	}
	specs, end := e.missing(b, until, cases, far+len(cases))
	e.Ahead(specs)
	e.again = until
	if end < until {
		e.again = (b + end) / 2
	}
}

// missing are the specifications of the trials that were not run yet, of the cases in blocks from b to before until,
// until there are enough, and the block before which that is.
func (e *execution) missing(b, until int, cases []int, enough int) (specs []trial.Spec, end int) {
	for ; b < until && len(specs) < enough; b++ {
		for _, spec := range e.specsOf(b, cases) {
			at := place{spec.Block, spec.Order}
			_, known := e.known[at]
			if _, had := e.had[at]; !known && !had && e.limited[caseOf(spec)] == nil {
				specs = append(specs, spec)
			}
		}
	}
	return specs, b
}
