package mandelbrot

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

func newSequential(e env.Env, p plan.Point) (workload.Job, error) { return drawn(sequential)(e, p) }

// sequential is the original's first version.
func sequential(e env.Env, _ plan.Point, c *canvas) {
	e.Work(func() { c.stretch(0, c.pixels()) })
}

func newPerPixel(e env.Env, p plan.Point) (workload.Job, error) { return drawn(perPixel)(e, p) }

// perPixel starts a goroutine for each pixel, all at once: what that costs is added to the work of each.
func perPixel(e env.Env, _ plan.Point, c *canvas) { perStretch(e, c, "pixel", 1) }

func newPerRow(e env.Env, p plan.Point) (workload.Job, error) { return drawn(perRow)(e, p) }

// perRow starts a goroutine for each of the original's rows. Those in the middle of the set take a hundred times as long as
// those at its ends, which evens out as the scheduler hands out the next.
func perRow(e env.Env, _ plan.Point, c *canvas) { perStretch(e, c, "row", c.size) }

func perStretch(e env.Env, c *canvas, name string, grain int) {
	done := e.Group()
	for first := 0; first < c.pixels(); first += grain {
		done.Go(e, name, func(e env.Env) { c.task(e, first, grain) })
	}
	done.Wait()
}

// task paints grain pixels. Which ones is said first: what they cost is theirs, whoever paints them.
func (c *canvas) task(e env.Env, first, grain int) {
	e.For(uint64(first))
	w := e.Begin()
	c.stretch(first, first+grain)
	w.End()
}

func newCycles(e env.Env, p plan.Point) (workload.Job, error) { return drawn(cycles)(e, p) }

// cycles is limited by the chain of operations of one orbit after the other, fewer of them than the original's.
func cycles(e env.Env, _ plan.Point, c *canvas) {
	e.Work(func() {
		for x := range c.size {
			for y := range c.size {
				c.set(x, y, cycling(c.column(x), c.row(y), c.iterations))
			}
		}
	})
}

func newTwoLanes(e env.Env, p plan.Point) (workload.Job, error) { return drawn(twoLanes)(e, p) }

// twoLanes is limited by how many operations a CPU does at once.
func twoLanes(e env.Env, _ plan.Point, c *canvas) {
	e.Work(func() { c.rows(0, c.size) })
}

func newMirror(e env.Env, p plan.Point) (workload.Job, error) { return drawn(mirror)(e, p) }

// mirror computes what is above the axis and on it, if the axis is in the middle, and half of the work otherwise is none.
func mirror(e env.Env, _ plan.Point, c *canvas) {
	e.Work(func() {
		if !c.axis() {
			c.rows(0, c.size)
			return
		}
		c.rows(0, c.size/2+1)
		for y := c.size/2 + 1; y < c.size; y++ {
			for x := range c.size {
				c.m[x][y] = c.m[x][c.size-y]
			}
		}
	})
}

// rows computes rows from first up to before end, two orbits at once.
func (c *canvas) rows(first, end int) {
	crs, colours := c.reals(), make([]byte, c.size)
	for y := first; y < min(end, c.size); y++ {
		lanes(colours, crs, c.row(y), c.iterations)
		for x, n := range colours {
			c.set(x, y, n)
		}
	}
}
