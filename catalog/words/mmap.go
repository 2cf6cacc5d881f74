package words

import (
	"os"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newMmap scans as newChunks does, in place: the file's pages are mapped into memory, not copied. What limits it: a
// page fault for every few pages, in place of the copy.
func newMmap(_ env.Env, p plan.Point) (workload.Job, error) {
	return counting(p, func(e env.Env, in *input) (int, error) { return in.mapped(e, in.rule.swar) })
}

// mapped scans the chunks of the file in parallel, where the system maps them.
func (in *input) mapped(e env.Env, count scan) (int, error) {
	if in.size == 0 {
		return 0, nil // which cannot be mapped
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
