package mandelbrot

import "io"

// The filters of a row (ISO/IEC 15948, 9). A filter replaces a byte by its difference from a prediction, which it
// computes from neighbouring bytes.
const (
	filterNone = iota
	filterSub
	filterUp
	filterAverage
	filterPaeth
	filters
)

// filtered returns the number of bytes of the filtered rows of a block. Each row has one more byte for its filter.
func (f *file) filtered(b rows) int { return (b.end - b.first) * (f.width*f.bpp + 1) }

// filter writes the filtered rows of block k. As in libpng and image/png, the filter of a row is the one with the least
// sum of magnitudes of its bytes, as signed numbers. The row above the block must have been computed. The colours of a
// pixel are equal, so one difference is computed for all of them.
func (f *file) filter(k int, c *compressor, to io.Writer) {
	b, n := f.blocks[k], f.width
	above := []byte(nil)
	if b.first > 0 {
		above = f.gray[(b.first-1)*n : b.first*n]
	}
	for y := b.first; y < b.end; y++ {
		row := f.gray[y*n : (y+1)*n]
		best := lightest(row, above)
		c.row[0] = byte(best)
		colours := c.row[1:]
		apply(best, colours, row, above)
		for i := n - 1; f.bpp == 3 && i >= 0; i-- { // from the end, so that each byte is read before it is overwritten
			d, rgb := colours[i], colours[3*i:][:3]
			rgb[0], rgb[1], rgb[2] = d, d, d
		}
		to.Write(c.row)
		above = row
	}
}

// lightest returns the filter with the least sum of magnitudes. Without a row above, it is none or sub.
func lightest(row, above []byte) (best int) {
	var sums [filters]int
	left, corner := 0, 0
	if above == nil {
		for _, b := range row {
			x := int(b)
			sums[filterNone] += weight(x)
			sums[filterSub] += weight(x - left)
			left = x
		}
	} else {
		above = above[:len(row)]
		var none, sub, up, average, paeth int
		for i, b := range row {
			x, over := int(b), int(above[i])
			none += weight(x)
			sub += weight(x - left)
			up += weight(x - over)
			average += weight(x - (left+over)/2)
			paeth += weight(x - nearest(left, over, corner))
			left, corner = x, over
		}
		sums = [filters]int{none, sub, up, average, paeth}
	}
	for kind, sum := range sums {
		if sum < sums[best] && (above != nil || kind == filterSub) {
			best = kind
		}
	}
	return best
}

// weight returns the magnitude of the lowest byte as a signed number.
func weight(x int) int { return magnitude(int(int8(x))) }

// magnitude returns the absolute value, without a branch.
func magnitude(n int) int {
	sign := n >> 63
	return n ^ sign - sign
}

// nearest returns the neighbour that is nearest to left + over - corner (A. Paeth, Image file compression made easy,
// Graphics Gems II, 1991).
func nearest(left, over, corner int) int {
	toLeft, toOver := over-corner, left-corner // left + over - corner, minus that neighbour
	toCorner := magnitude(toLeft + toOver)
	toLeft, toOver = magnitude(toLeft), magnitude(toOver)
	other, toOther := over, toOver
	if toCorner < toOther {
		other, toOther = corner, toCorner
	}
	if toOther < toLeft {
		left = other
	}
	return left
}

// apply writes the differences of a row by a filter.
func apply(kind int, differences, row, above []byte) {
	left, corner := 0, 0
	for i, b := range row {
		over := 0
		if above != nil {
			over = int(above[i])
		}
		expect := 0
		switch kind {
		case filterSub:
			expect = left
		case filterUp:
			expect = over
		case filterAverage:
			expect = (left + over) / 2
		case filterPaeth:
			expect = nearest(left, over, corner)
		}
		differences[i] = b - byte(expect)
		left, corner = int(b), over
	}
}
