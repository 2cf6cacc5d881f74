package words

import (
	"io"
	"os"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newChunks divides the file into chunks. A goroutine for each CPU takes the next chunk from an atomic counter and
// scans it like newSWAR. The counts of chunks do not depend on each other: see piece. They are joined in order. Reading
// limits it, because all CPUs share the bandwidth of the memory.
func newChunks(_ env.Env, p plan.Point) (workload.Job, error) {
	return counting(p, func(e env.Env, in *input) (int, error) { return in.chunked(e, in.rule.swar) })
}

// chunked scans the chunks of the file in parallel. Each goroutine reads into a buffer of its own.
func (in *input) chunked(e env.Env, count scan) (int, error) {
	f, err := os.Open(in.path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return in.pieces(e, func() func(int64, int) (piece, error) {
		buf := make([]byte, min(int64(in.chunk), in.size))
		return func(at int64, n int) (piece, error) {
			if _, err := f.ReadAt(buf[:n], at); err != nil {
				return piece{}, shrunk(in.path, err)
			}
			return in.rule.pieceOf(count, buf[:n]), nil
		}
	})
}

// pieces counts the chunks of the file on all CPUs. Each goroutine calls counter once, and the result for each chunk,
// with its offset and size.
func (in *input) pieces(e env.Env, counter func() func(at int64, n int) (piece, error)) (int, error) {
	total := int((in.size + int64(in.chunk) - 1) / int64(in.chunk))
	all := make([]piece, total)
	workers := min(in.cpus, total)
	errs := make([]error, workers)
	next, group := env.NewAtomic[int](e, "chunks"), e.Group()
	for w := range workers {
		group.Go(e, "scanner", func(e env.Env) {
			count := counter()
			for i := next.Add(1) - 1; i < total && errs[w] == nil; i = next.Add(1) - 1 {
				at := int64(i) * int64(in.chunk)
				e.For(uint64(i))
				work := e.Begin()
				all[i], errs[w] = count(at, int(min(int64(in.chunk), in.size-at)))
				work.End()
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return 0, err
		}
	}
	var t tally
	for _, p := range all {
		t = t.join(p)
	}
	return t.words, nil
}

// shrunk returns the error of a file that became shorter during the count.
func shrunk(path string, err error) error {
	if err == io.EOF {
		return &os.PathError{Op: "count", Path: path, Err: io.ErrUnexpectedEOF}
	}
	return err
}
