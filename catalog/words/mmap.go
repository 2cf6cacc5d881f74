package words

import (
	"os"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newMmap is newChunks on memory-mapped pages of the file, without a copy. A page fault for every few pages limits it.
func newMmap(_ env.Env, p plan.Point) (workload.Job, error) {
	return counting(p, func(e env.Env, in *input) (int, error) { return in.mapped(e, in.rule.swar) })
}

// mapped maps the file and scans its chunks in parallel.
func (in *input) mapped(e env.Env, count scan) (int, error) {
	if in.size == 0 {
		return 0, nil // an empty file cannot be mapped
	}
	f, err := os.Open(in.path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	data, unmap, err := mapFile(f, in.size)
	if err != nil {
		return 0, err
	}
	words, err := in.pieces(e, func() func(int64, int) (piece, error) {
		return func(at int64, n int) (piece, error) { return in.rule.pieceOf(count, data[at:at+int64(n)]), nil }
	})
	if failed := unmap(); err == nil {
		err = failed
	}
	return words, err
}
