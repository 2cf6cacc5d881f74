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

// canvas is the original's picture: a slice for each column, which it calls a row, so that whoever reads it row by row, as
// a PNG is written, takes each pixel from another slice.
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
func drawn(f fill) builder {
	return func(_ env.Env, p plan.Point) (workload.Job, error) {
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
}
