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

// canvas is the original's picture: a slice for each column, which it calls a row, so that whoever reads it row by row,
// as a PNG is written, takes each pixel from another slice.
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

// At, Bounds and ColorModel make it an image.Image.
func (c *canvas) At(x, y int) color.Color { return c.m[x][y] }
func (c *canvas) Bounds() image.Rectangle { return image.Rect(0, 0, c.size, c.size) }
func (c *canvas) ColorModel() color.Model { return color.RGBAModel }

// paint computes a pixel as the original does.
func (c *canvas) paint(x, y int) { c.set(x, y, orbit(c.column(x), c.row(y), c.iterations)) }

func (c *canvas) set(x, y int, n byte) { c.m[x][y] = color.RGBA{n, n, n, 255} }

// pixels are how many there are; pixel i is in column i/size.
func (c *canvas) pixels() int { return c.size * c.size }

// stretch paints the pixels from first up to before end.
func (c *canvas) stretch(first, end int) {
	for i := first; i < min(end, c.pixels()); i++ {
		c.paint(i/c.size, i%c.size)
	}
}

// fill paints a canvas, in a way of its own.
type fill func(e env.Env, p plan.Point, c *canvas)

// drawn is the job of a fill: the pixels, and then the file by the standard library if there is to be one.
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

// sequential is the original's first version.
func sequential(e env.Env, _ plan.Point, c *canvas) {
	e.Work(func() { c.stretch(0, c.pixels()) })
}

func newPerPixel(_ env.Env, p plan.Point) (workload.Job, error) { return drawn(p, perPixel) }

// perPixel starts a goroutine for each pixel, all at once: what that costs is added to the work of each.
func perPixel(e env.Env, _ plan.Point, c *canvas) { perStretch(e, c, "pixel", 1) }

func newPerRow(_ env.Env, p plan.Point) (workload.Job, error) { return drawn(p, perRow) }

// perRow starts a goroutine for each of the original's rows. Those in the middle of the set take a hundred times as
// long as those at its ends, which evens out as the scheduler hands out the next.
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

func newCycles(_ env.Env, p plan.Point) (workload.Job, error) { return drawn(p, cycles) }

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

func newTwoLanes(_ env.Env, p plan.Point) (workload.Job, error) { return drawn(p, twoLanes) }

// twoLanes is limited by how many operations a CPU does at once.
func twoLanes(e env.Env, _ plan.Point, c *canvas) {
	e.Work(func() { c.rows(0, c.size) })
}

func newMirror(_ env.Env, p plan.Point) (workload.Job, error) { return drawn(p, mirror) }

// mirror computes what is above the axis and on it, if the axis is in the middle, and half of the work otherwise is
// none.
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
