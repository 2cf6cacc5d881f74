package mandelbrot

import (
	"bytes"
	"image"
	"image/color"
	"image/png"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// press computes the rows of a picture in tasks and compresses them in blocks.
type press struct {
	scene
	*file
	tasks  []task
	spare  *env.Chan[*compressor] // free list
	making *env.Mutex             // serializes newCompressor
	whole  []byte                 // the finished file
}

// task is rows to compute, with the blocks that they fill: their own block, and twin, the block of the mirrored rows,
// which is -1 if there is none.
type task struct {
	rows
	block, twin int
}

func newPress(p plan.Point) (*press, error) {
	s, err := sceneOf(p)
	if err != nil {
		return nil, err
	}
	blocks, tasks := s.tasks(p.Int("rows"))
	return &press{scene: s, tasks: tasks,
		file: newFile(make([]byte, s.size*s.size), s.size, bytesOf(p), p.Int("level"), blocks)}, nil
}

// bytesOf returns the number of bytes per pixel in the file.
func bytesOf(p plan.Point) int {
	if p.Text("colour") == "rgb" {
		return 3
	}
	return 1
}

// tasks divides the picture into tasks and blocks. If the real axis is in the middle, tasks cover only the rows down to
// the axis, and the others mirror them.
func (s scene) tasks(each int) (blocks []rows, tasks []task) {
	if !s.axis() {
		blocks = blocksOf(s.size, each)
		for k, b := range blocks {
			tasks = append(tasks, task{b, k, -1})
		}
		return blocks, tasks
	}
	middle := s.size / 2
	blocks = blocksOf(middle+1, each)
	for k, b := range blocks {
		tasks = append(tasks, task{b, k, -1})
	}
	for k := len(tasks) - 1; k >= 0; k-- {
		b := rows{max(middle, s.size-tasks[k].end) + 1, min(s.size, s.size-tasks[k].first+1)}
		if b.first < b.end {
			tasks[k].twin = len(blocks)
			blocks = append(blocks, b)
		}
	}
	return blocks, tasks
}

// compute computes the pixels of a task.
func (f *press) compute(e env.Env, n int, crs []float64) {
	e.For(uint64(n))
	w := e.Begin()
	defer w.End()
	t := f.tasks[n]
	for y := t.first; y < t.end; y++ {
		row := f.gray[y*f.size : (y+1)*f.size]
		lanes(row, crs, f.row(y), f.iterations)
		if mirrored := f.size - y; t.twin >= 0 && mirrored < f.size {
			copy(f.gray[mirrored*f.size:], row)
		}
	}
}

// compressed compresses block k. Compressors are made one at a time: see newCompressor. Every block has a section of
// real code for that, even if there is nothing to do, so that recordings for any number of CPUs have the same number of
// sections. In a recording on one CPU, only the first of them has a cost.
func (f *press) compressed(e env.Env, k int) {
	e.For(uint64(len(f.tasks) + k))
	f.making.Lock()
	c, _, _ := f.spare.TryRecv()
	e.Work(func() {
		if c == nil {
			c = f.newCompressor()
		}
	})
	f.making.Unlock()
	w := e.Begin()
	f.compress(k, c)
	w.End()
	f.spare.Send(c) // never blocks: there is room for all
}

// finish joins the chunks, as a section of real code.
func (f *press) finish(e env.Env) {
	e.For(env.NoRequest)
	w := e.Begin()
	f.whole = f.join()
	w.End()
}

// job returns the job of a design that makes a file by blocks.
func (f *press) job(p plan.Point, run func(e env.Env)) workload.Job {
	return workload.Job{
		Items: int64(f.size) * int64(f.size),
		Bytes: int64(f.size) * int64(f.size) * int64(f.bpp),
		Run: func(e env.Env) error {
			f.spare, f.making = env.NewChan[*compressor](e, "compressors", len(f.blocks)), e.Mutex("making")
			run(e)
			f.finish(e)
			return nil
		},
		Check: func() (workload.Answer, error) { return audit(f.scene, nil, f.whole, p) },
	}
}

// newOverlap is a pipeline: workers compute while one goroutine filters and compresses finished blocks, from the top.
// The slower stage limits it: with a CPU for each stage it takes max(P, W/c).
func newOverlap(_ env.Env, p plan.Point) (workload.Job, error) {
	f, err := newPress(p)
	if err != nil {
		return workload.Job{}, err
	}
	return f.job(p, func(e env.Env) {
		ready := make([]*env.Chan[bool], len(f.blocks))
		for k := range ready {
			ready[k] = env.NewChan[bool](e, "ready", 1)
		}
		workers, crs := e.Group(), f.reals()
		workers.Go(e, "drawing", func(e env.Env) {
			counted(e, p.Int("workers"), len(f.tasks), func(e env.Env, n int) {
				f.compute(e, n, crs)
				ready[f.tasks[n].block].Send(true)
				if twin := f.tasks[n].twin; twin >= 0 {
					ready[twin].Send(true)
				}
			})
		})
		for k, block := range ready {
			block.Recv()
			f.compressed(e, k)
		}
		workers.Wait()
	}), nil
}

// newParallel has two parallel phases: workers compute all rows, and then compress all blocks. It takes W/c + P/c. Only
// joining the blocks is serial. Workers are idle at the end of a phase and while compressors are made one at a time.
// Rows next to the axis take longest and come first, so that the first phase ends evenly (longest processing time
// first: R. Graham, Bounds on multiprocessing timing anomalies, SIAM J. Appl. Math. 17, 1969). See compressAll for the
// order of the blocks.
func newParallel(_ env.Env, p plan.Point) (workload.Job, error) {
	f, err := newPress(p)
	if err != nil {
		return workload.Job{}, err
	}
	return f.job(p, func(e env.Env) {
		crs := f.reals()
		counted(e, p.Int("workers"), len(f.tasks), func(e env.Env, n int) { f.compute(e, len(f.tasks)-1-n, crs) })
		f.compressAll(e, p)
	}), nil
}

// compressAll compresses the blocks on workers, from both edges of the picture to its middle. In the picture of the
// whole set the middle has one colour and takes little time, so that the phase ends evenly. For other pictures this
// order is as good as any fixed one.
func (f *press) compressAll(e env.Env, p plan.Point) {
	counted(e, p.Int("workers"), len(f.blocks), func(e env.Env, n int) {
		k := n / 2
		if n%2 == 1 {
			k = len(f.blocks) - 1 - k
		}
		f.compressed(e, k)
	})
}

// drawnPress returns a press whose pixels have been computed.
func drawnPress(p plan.Point) (*press, error) {
	f, err := newPress(p)
	if err != nil {
		return nil, err
	}
	f.blocks = blocksOf(f.size, p.Int("rows"))
	f.file = newFile(f.gray, f.size, f.bpp, f.level, f.blocks)
	draw(f.scene, f.gray)
	return f, nil
}

// draw computes all pixels.
func draw(s scene, gray []byte) {
	crs := s.reals()
	for y := range s.size {
		lanes(gray[y*s.size:(y+1)*s.size], crs, s.row(y), s.iterations)
	}
}

// newSerialFile compresses all blocks in one goroutine. The search for repetitions limits it.
func newSerialFile(_ env.Env, p plan.Point) (workload.Job, error) {
	f, err := drawnPress(p)
	if err != nil {
		return workload.Job{}, err
	}
	return f.job(p, func(e env.Env) {
		for k := range f.blocks {
			f.compressed(e, k)
		}
	}), nil
}

// newParallelFile compresses the blocks on workers. It takes P/c, plus the last block, plus making the compressors one
// at a time.
func newParallelFile(_ env.Env, p plan.Point) (workload.Job, error) {
	f, err := drawnPress(p)
	if err != nil {
		return workload.Job{}, err
	}
	return f.job(p, func(e env.Env) { f.compressAll(e, p) }), nil
}

// newStandardFile encodes with image/png, from an image type for which it has a fast path.
func newStandardFile(_ env.Env, p plan.Point) (workload.Job, error) {
	s, err := sceneOf(p)
	if err != nil {
		return workload.Job{}, err
	}
	gray := image.NewGray(image.Rect(0, 0, s.size, s.size))
	draw(s, gray.Pix)
	var picture image.Image = gray
	bpp := bytesOf(p)
	if bpp == 3 {
		coloured := image.NewRGBA(gray.Rect)
		for i, n := range gray.Pix {
			x, y := i%s.size, i/s.size
			coloured.SetRGBA(x, y, color.RGBA{n, n, n, 255})
		}
		picture = coloured
	}
	file := new(bytes.Buffer)
	return workload.Job{
		Items: int64(len(gray.Pix)),
		Bytes: int64(len(gray.Pix) * bpp),
		Run: func(e env.Env) (err error) {
			e.Work(func() { err = png.Encode(file, picture) })
			return err
		},
		Check: func() (workload.Answer, error) { return audit(s, nil, file.Bytes(), p) },
	}, nil
}
