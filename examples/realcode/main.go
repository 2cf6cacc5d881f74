// Command realcode measures and simulates jobs that consist of real code: they process blocks of pixels or chunks of
// bytes. A channel or an atomic counter distributes the work among workers.
//
//	go run . run pixels --cpus 1..2
//	go run . sim pixels --cpus 1 --record-costs pixels.costs
//	go run . sim pixels --cpus 2,4,8 --replay-costs pixels.costs
package main

import (
	"fmt"

	"github.com/brewput/brewput"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

func main() { brewput.Main(pixels(), chunks()) }

// job is work in equal blocks, which are independent of each other.
type job struct {
	blocks int
	do     func(block int) // the real code of a block
	check  func() (workload.Answer, error)
	bytes  int64
}

// shared returns the designs of a job. The factor grain is the size of a block.
func shared(grain string, build func(p plan.Point) job) []workload.Design {
	return []workload.Design{
		{Name: "pool", Doc: "a channel hands blocks to workers", Uses: []string{"workers", grain},
			Job: func(_ env.Env, p plan.Point) (workload.Job, error) {
				return pool(build(p), p.Int("workers")), nil
			}},
		{Name: "counter", Doc: "workers take the next block from an atomic counter", Uses: []string{"workers", grain},
			Job: func(e env.Env, p plan.Point) (workload.Job, error) {
				return counter(e, build(p), p.Int("workers")), nil
			}},
	}
}

// pool sends the blocks along a channel.
func pool(j job, workers int) workload.Job {
	return workload.Job{Items: int64(j.blocks), Bytes: j.bytes, Check: j.check, Run: func(e env.Env) error {
		blocks, done := env.NewChan[int](e, "blocks", workers), e.Group()
		for range workers {
			done.Go(e, "worker", func(e env.Env) {
				for block, ok := blocks.Recv(); ok; block, ok = blocks.Recv() {
					work(e, j, block)
				}
			})
		}
		for block := range j.blocks {
			blocks.Send(block)
		}
		blocks.Close()
		done.Wait()
		return nil
	}}
}

// counter distributes the blocks with an atomic counter.
func counter(e env.Env, j job, workers int) workload.Job {
	next := env.NewAtomic[int](e, "next")
	return workload.Job{Items: int64(j.blocks), Bytes: j.bytes, Check: j.check, Run: func(e env.Env) error {
		done := e.Group()
		for range workers {
			done.Go(e, "worker", func(e env.Env) {
				for block := next.Add(1) - 1; block < j.blocks; block = next.Add(1) - 1 {
					work(e, j, block)
				}
			})
		}
		done.Wait()
		return nil
	}}
}

// work processes a block, as a section of real code. For assigns its cost to the block, not to the goroutine.
func work(e env.Env, j job, block int) {
	e.For(uint64(block))
	w := e.Begin()
	j.do(block)
	w.End()
}

const (
	width, height = 1024, 1024
	depth         = 500 // iterations of a pixel at most
)

// pixels computes a picture in blocks of pixels.
func pixels() *workload.Workload {
	return &workload.Workload{
		Name: "pixels",
		Doc:  "Compute a picture of the Mandelbrot set, in blocks of pixels.",
		Factors: []plan.Factor{{Name: "pixels", Doc: "pixels of a block", Kind: plan.Int, Default: "4096", Min: 1,
			Max: width * height}},
		Designs: shared("pixels", func(p plan.Point) job {
			size := p.Int("pixels")
			picture := make([]uint16, width*height)
			return job{
				blocks: (len(picture) + size - 1) / size,
				do: func(block int) {
					for i := block * size; i < min(block*size+size, len(picture)); i++ {
						picture[i] = iterations(i)
					}
				},
				check: func() (workload.Answer, error) {
					for i := 0; i < len(picture); i += 101 {
						if picture[i] != iterations(i) {
							return nil, fmt.Errorf("pixel %d is %d instead of %d", i, picture[i], iterations(i))
						}
					}
					return workload.Answer{"pixels": len(picture)}, nil
				},
			}
		}),
	}
}

// iterations returns the number of iterations until the orbit of a pixel leaves the circle of radius 2.
func iterations(pixel int) uint16 {
	cx, cy := 3*float64(pixel%width)/width-2.2, 3*float64(pixel/width)/height-1.5
	x, y := 0.0, 0.0
	for n := range depth {
		x, y = x*x-y*y+cx, 2*x*y+cy
		if x*x+y*y > 4 {
			return uint16(n)
		}
	}
	return depth
}

const size = 64 << 20 // bytes of the text

// chunks computes checksums of the chunks of a text.
func chunks() *workload.Workload {
	return &workload.Workload{
		Name: "chunks",
		Doc:  "Sum up a text, in chunks of bytes.",
		Factors: []plan.Factor{{Name: "chunk", Doc: "bytes of a chunk", Kind: plan.Int, Default: "262144", Min: 1,
			Max: size}},
		Designs: shared("chunk", func(p plan.Point) job {
			chunk := p.Int("chunk")
			text := prose(size)
			sums := make([]uint64, (len(text)+chunk-1)/chunk)
			piece := func(i int) []byte { return text[i*chunk : min(i*chunk+chunk, len(text))] }
			return job{
				blocks: len(sums), bytes: size,
				do: func(i int) { sums[i] = fnv1a(piece(i)) },
				check: func() (workload.Answer, error) {
					for i := 0; i < len(sums); i += 11 {
						if want := fnv1a(piece(i)); sums[i] != want {
							return nil, fmt.Errorf("chunk %d has the sum %x instead of %x", i, sums[i], want)
						}
					}
					return workload.Answer{"chunks": len(sums)}, nil
				},
			}
		}),
	}
}

// prose returns a text of n random letters.
func prose(n int) []byte {
	text := make([]byte, n)
	x := uint64(1)
	for i := range text {
		x = x*6364136223846793005 + 1442695040888963407
		text[i] = "etaoinshrdlucmfw"[x>>60]
	}
	return text
}

// fnv1a returns the 64-bit FNV-1a hash (Fowler, Noll and Vo).
func fnv1a(text []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range text {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}
