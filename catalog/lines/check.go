package lines

import (
	"fmt"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// job returns the job of a design. Its check requires that each line was hashed exactly once.
func job(p plan.Point, run func(env.Env) (tally, error)) workload.Job {
	n, got := p.Int("total"), tally{}
	return workload.Job{
		Items: int64(n), Bytes: int64(n) * length,
		Run: func(e env.Env) (err error) {
			got, err = run(e)
			return err
		},
		Check: func() (workload.Answer, error) {
			answer := workload.Answer{"lines": got.count, "digests": fmt.Sprintf("%016x", got.sum)}
			if got.count != int64(n) {
				return answer, fmt.Errorf("%d of %d lines were hashed", got.count, n)
			}
			if want := digests(n); got.sum != want {
				return answer, fmt.Errorf("the digests of %d lines have the sum %016x instead of %016x: a line was "+
					"hashed twice, or another", n, got.sum, want)
			}
			return answer, nil
		},
	}
}

// digests returns the sum of the digests of the first n lines. It starts from a known sum and hashes the rest.
func digests(n int) (sum uint64) {
	known := knownDigests()
	from := min(n/knownEvery, len(known)-1)
	sum = known[from]
	line := make([]byte, length)
	for i := from * knownEvery; i < n; i++ {
		sum += free{}.hash(free{}.line(line, i))
	}
	return sum
}
