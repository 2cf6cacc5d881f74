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

// canvas is the picture of the original: a slice for each column, which the original calls a row. A PNG is written row
// by row, so each pixel then comes from another slice.
type canvas struct {
	scene
	m [][]color.RGBA
}

func newCanvas(s scene) *canvas {
	c := &canvas{s, make([][]color.RGBA, s.size)}
	for x := range c.m {
		c.m[x] = make([]color.RGBA, s.size)
	}
	return c
}

// At, Bounds and ColorModel implement image.Image.
func (c *canvas) At(x, y int) color.Color { return c.m[x][y] }
func (c *canvas) Bounds() image.Rectangle { return image.Rect(0, 0, c.size, c.size) }
func (c *canvas) ColorModel() color.Model { return color.RGBAModel }

// paint computes a pixel with the loop of the original.
func (c *canvas) paint(x, y int) { c.set(x, y, orbit(c.column(x), c.row(y), c.iterations)) }

func (c *canvas) set(x, y int, n byte) { c.m[x][y] = color.RGBA{n, n, n, 255} }

// pixels returns the number of pixels. Pixel i is in column i/size.
func (c *canvas) pixels() int { return c.size * c.size }

// stretch paints the pixels from first to end-1.
func (c *canvas) stretch(first, end int) {
	for i := first; i < min(end, c.pixels()); i++ {
		c.paint(i/c.size, i%c.size)
	}
}

// fill is a design: it paints a canvas.
type fill func(e env.Env, p plan.Point, c *canvas)

// drawn returns the job of a fill. After the pixels, the standard library writes the file, unless there is none.
func drawn(p plan.Point, f fill) (workload.Job, error) {
	s, err := sceneOf(p)
	if err != nil {
		return workload.Job{}, err
	}
	c, file := newCanvas(s), new(bytes.Buffer)
	return workload.Job{
		Items: int64(c.pixels()),
		Run: func(e env.Env) error {
			f(e, p, c)
			if p.Text("file") == "none" {
				return nil
			}
			e.For(env.NoRequest)
			w := e.Begin()
			defer w.End()
			return png.Encode(file, c)
		},
		Check: func() (workload.Answer, error) { return audit(s, c, file.Bytes(), p) },
	}, nil
}

func newSequential(_ env.Env, p plan.Point) (workload.Job, error) { return drawn(p, sequential) }

// sequential is the first version of the original: one goroutine paints all pixels.
func sequential(e env.Env, _ plan.Point, c *canvas) {
	e.Work(func() { c.stretch(0, c.pixels()) })
}

func newPerPixel(_ env.Env, p plan.Point) (workload.Job, error) { return drawn(p, perPixel) }

// perPixel starts a goroutine for each pixel, all at once. The cost of starting one is added to the work of each pixel.
func perPixel(e env.Env, _ plan.Point, c *canvas) { perStretch(e, c, "pixel", 1) }

func newPerRow(_ env.Env, p plan.Point) (workload.Job, error) { return drawn(p, perRow) }

// perRow starts a goroutine for each of the original's rows. Rows in the middle of the set take a hundred times as long
// as those at the edges. The scheduler balances that load, because a free CPU runs the next goroutine.
func perRow(e env.Env, _ plan.Point, c *canvas) { perStretch(e, c, "row", c.size) }

func perStretch(e env.Env, c *canvas, name string, grain int) {
	done := e.Group()
	for first := 0; first < c.pixels(); first += grain {
		done.Go(e, name, func(e env.Env) { c.task(e, first, grain) })
	}
	done.Wait()
}

// task paints grain pixels, as a section of real code. Its recorded cost belongs to the pixels, not to the goroutine.
func (c *canvas) task(e env.Env, first, grain int) {
	e.For(uint64(first))
	w := e.Begin()
	c.stretch(first, first+grain)
	w.End()
}

func newCycles(_ env.Env, p plan.Point) (workload.Job, error) { return drawn(p, cycles) }

// cycles is sequential with cycle detection: see cycling. It is limited by the latency of the operations of one orbit.
func cycles(e env.Env, _ plan.Point, c *canvas) {
	e.Work(func() {
		for x := range c.size {
			for y := range c.size {
				c.set(x, y, cycling(c.column(x), c.row(y), c.iterations))
			}
		}
	})
}

func newTwoLanes(_ env.Env, p plan.Point) (workload.Job, error) { return drawn(p, twoLanes) }

// twoLanes interleaves two orbits: see lanes. It is limited by the instruction throughput of a CPU.
func twoLanes(e env.Env, _ plan.Point, c *canvas) {
	e.Work(func() { c.rows(0, c.size) })
}

func newMirror(_ env.Env, p plan.Point) (workload.Job, error) { return drawn(p, mirror) }

// mirror is lanes for one half of the picture, and copies the other half, if the real axis is in the middle. Otherwise
// it is lanes.
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

// rows computes the rows from first to end-1, two orbits at a time.
func (c *canvas) rows(first, end int) {
	crs, colours := c.reals(), make([]byte, c.size)
	for y := first; y < min(end, c.size); y++ {
		lanes(colours, crs, c.row(y), c.iterations)
		for x, n := range colours {
			c.set(x, y, n)
		}
	}
}
