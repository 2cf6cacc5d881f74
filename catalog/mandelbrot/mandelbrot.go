// Package mandelbrot renders the Mandelbrot set and writes it as a PNG. It starts from the program of F. Campoy and D.
// Cheney's High Performance Go Workshop (2019).
//
// If the pixels take W seconds on one CPU and one goroutine writes the file in P seconds, c CPUs need at least
//
//	P + W/c
//
// (Amdahl 1967; [model.Amdahl] with the serial fraction P/(P+W)). N pixels may be distributed in tasks of g pixels (the
// grain), with an overhead of h seconds for each task. At the end one worker may still process the last task, of at
// most t seconds a pixel, while the others are idle:
//
//	W/c + h N/g /c + t g          with an atomic counter or with ranges
//	max(that, h N/g)              if one goroutine sends the N/g tasks along a channel
//
// The grain is too fine below g = h N/W, where the overhead equals the work. It is too coarse above g = W/(c t), where
// the last task takes as long as all others. These are the knees of a sweep over the factor grain.
package mandelbrot

import (
	"strconv"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Workload returns the workload mandelbrot.
func Workload() *workload.Workload {
	and := func(more ...string) []string {
		return append([]string{"size", "iterations", "view", "zoom", "save"}, more...)
	}
	return &workload.Workload{
		Name:    "mandelbrot",
		Doc:     "Render the Mandelbrot set and write it as a PNG.",
		Factors: factors(),
		Check:   check,
		Quick:   map[string]string{"size": "512"},
		Designs: []workload.Design{
			{Name: "sequential", Doc: "computes one pixel at a time, then writes the file: the " +
				"original", Uses: and("file"),
				Job: newSequential},
			{Name: "pixel", Doc: "a goroutine for each pixel", Uses: and("file"), Job: newPerPixel},
			{Name: "row", Doc: "one goroutine per row of the original, which is a column of the " +
				"picture", Uses: and("file"),
				Job: newPerRow, Formula: undivided()},
			{Name: "pool", Doc: "workers receive tasks of pixels from a channel",
				Uses: and("file", "workers", "grain", "buffer"), Job: newPool, Formula: undivided()},
			{Name: "counter", Doc: "workers take the next task of pixels from an atomic counter",
				Uses: and("file", "workers", "grain"), Job: newCounter, Formula: undivided()},
			{Name: "tiles", Doc: "workers take the next square tile from an atomic counter",
				Uses: and("file", "workers", "tile"), Job: newTiles, Formula: undivided()},
			{Name: "stealing", Doc: "work stealing: each worker has a range of pixels, and steals half of another's " +
				"when done",
				Uses: and("file", "workers", "grain"), Job: newStealing, Formula: undivided()},
			{Name: "cycles", Doc: "sequential, but stops an orbit when it repeats", Uses: and("file"),
				Job: newCycles},
			{Name: "lanes", Doc: "cycles, computing two orbits at once", Uses: and("file"), Job: newTwoLanes},
			{Name: "mirror", Doc: "lanes, copying the half below the axis", Uses: and("file"), Job: newMirror},
			{Name: "overlap", Doc: "mirror on workers, while one goroutine filters and compresses finished rows",
				Uses: and("workers", "rows", "level", "colour"), Job: newOverlap, Formula: overlapped()},
			{Name: "parallel", Doc: "mirror on workers, which then compress blocks of rows in parallel",
				Uses: and("workers", "rows", "level", "colour"), Job: newParallel, Formula: divided()},
			{Name: "png-standard", Doc: "only writes the file, with the standard library", Uses: and("colour"),
				Job: newStandardFile, Reference: true},
			{Name: "png-serial", Doc: "only writes the file, in blocks of rows on one goroutine",
				Uses: and("colour", "level", "rows"), Job: newSerialFile},
			{Name: "png-parallel", Doc: "only writes the file, in blocks of rows on workers",
				Uses: and("colour", "level", "rows", "workers"), Job: newParallelFile, Formula: filed()},
		},
	}
}

func factors() []plan.Factor {
	return []plan.Factor{
		{Name: "size", Doc: "width and height of the picture, in pixels", Kind: plan.Int, Default: "1024", Min: 1,
			Max: 1 << 14, Input: true},
		{Name: "iterations", Doc: "maximum number of points of an orbit",
			Kind: plan.Int, Default: "1000", Min: 0, Max: 1 << 30,
			Input: true},
		{Name: "view", Doc: "the picture's centre, as in -0.7436+0.1318i", Kind: plan.Text, Default: "-0.5",
			Input: true},
		{Name: "zoom", Doc: "magnification: 2 divided by the width of the view",
			Kind: plan.Float, Default: "1", Min: 0.01,
			Max: 1e15, Input: true},
		{Name: "file", Doc: "standard: the standard library writes a PNG; none: only the pixels are computed",
			Kind: plan.Text, Default: "standard", Words: []string{"standard", "none"}},
		{Name: "colour", Doc: "rgb: three bytes a pixel, as in the original's file; gray: one", Kind: plan.Text,
			Default: "gray", Words: []string{"gray", "rgb"}},
		{Name: "grain", Doc: "pixels in each task", Kind: plan.Int, Default: "1024", Min: 1, Max: 1 << 28},
		{Name: "tile", Doc: "width and height of a tile, in pixels",
			Kind: plan.Int, Default: "32", Min: 1, Max: 1 << 14},
		{Name: "buffer", Doc: "buffer size of the channel of pool", Kind: plan.Int, Default: "0"},
		{Name: "rows", Doc: "rows that are computed, filtered and compressed together", Kind: plan.Int, Default: "64",
			Min: 1, Max: 1 << 14},
		{Name: "level", Doc: "compression level, 1 to 9; the standard library uses 6",
			Kind: plan.Int, Default: "5", Min: 1, Max: 9},
		{Name: "save", Doc: "write the design's PNG to this file", Kind: plan.Text, Path: true, Input: true},
	}
}

// scene is the part of the plane that the picture shows.
type scene struct {
	size, iterations int
	re, im, zoom     float64
}

// sceneOf returns the scene of a point, or an error if the view is invalid.
func sceneOf(p plan.Point) (scene, error) {
	s := scene{size: p.Int("size"), iterations: p.Int("iterations"), zoom: p.Float("zoom")}
	centre, err := strconv.ParseComplex(p.Text("view"), 128)
	if err != nil || !(real(centre) >= -2 && real(centre) <= 2 && imag(centre) >= -2 && imag(centre) <= 2) {
		return s, &plan.Refusal{Field: "view", Value: p.Text("view"), Reason: "not a point near the set; give a " +
			"complex number within -2 and 2, such as -0.7436+0.1318i"}
	}
	s.re, s.im = real(centre), imag(centre)
	return s, nil
}

// check returns an error if the view is invalid, or if there is no file to save.
func check(p plan.Point) error {
	if p.Has("save") && p.Has("file") && p.Text("file") == "none" {
		return plan.Refuse("save", nil, "needs a file, and {file} none writes none; leave one of them out")
	}
	_, err := sceneOf(p)
	return err
}

// at returns the distance of the n-th column or row from the centre. It is exactly the negative of at(size - n).
func (s scene) at(n int) float64 { return float64(2*n-s.size) / float64(s.size) / s.zoom }

// column returns the real part of the points of a column, and row the imaginary part of those of a row.
func (s scene) column(x int) float64 { return s.re + s.at(x) }
func (s scene) row(y int) float64    { return s.im + s.at(y) }

// reals returns the real parts of all columns.
func (s scene) reals() []float64 {
	crs := make([]float64, s.size)
	for x := range crs {
		crs[x] = s.column(x)
	}
	return crs
}

// axis reports whether the real axis is in the middle of the picture. Rows y and size - y then have the same colours.
// Their points are conjugate, and so are their orbits, exactly, because rounding does not depend on signs.
func (s scene) axis() bool { return s.im == 0 }
