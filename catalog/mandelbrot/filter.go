package mandelbrot

// The filters of a row (ISO/IEC 15948, 9): a byte is replaced by its difference from what its neighbours make expect.
const (
	filterNone = iota
	filterSub
	filterUp
	filterAverage
	filterPaeth
	filters
)

// filter makes the filtered rows of block k: of each row the filter whose bytes, as signed numbers, have the least sum of
// magnitudes, as libpng and image/png choose it. The first row of a block is not compared with the one above it, which
// may not be there yet.
func (f *file) filter(k int) {
	b, length := f.blocks[k], f.width*f.bpp
	raw := make([]byte, 0, (b.end-b.first)*(length+1))
	var tried [filters][]byte
	for i := range tried {
		tried[i] = make([]byte, length)
	}
	row, above := make([]byte, length), make([]byte, length)
	for y := b.first; y < b.end; y++ {
		f.spread(row, f.gray[y*f.width:(y+1)*f.width])
		best := try(&tried, row, above, f.bpp, y == b.first)
		raw = append(raw, byte(best))
		if best == filterNone {
			raw = append(raw, row...)
		} else {
			raw = append(raw, tried[best]...)
		}
		row, above = above, row
	}
	f.raw[k] = raw
}

// spread writes a row of gray pixels as the file has them.
func (f *file) spread(row, gray []byte) {
	if f.bpp == 1 {
		copy(row, gray)
		return
	}
	for i, n := range gray {
		row[3*i], row[3*i+1], row[3*i+2] = n, n, n
	}
}

// try applies the filters and returns the best, which is not in tried if it is none. The first row of a block has no row
// above it.
func try(tried *[filters][]byte, row, above []byte, bpp int, alone bool) (best int) {
	least := weight(row)
	if sub(tried[filterSub], row, bpp); weight(tried[filterSub]) < least {
		best, least = filterSub, weight(tried[filterSub])
	}
	if alone {
		return best
	}
	for kind, apply := range [filters]func(out, row, above []byte, bpp int){filterUp: up, filterAverage: average, filterPaeth: paeth} {
		if apply == nil {
			continue
		}
		apply(tried[kind], row, above, bpp)
		if n := weight(tried[kind]); n < least {
			best, least = kind, n
		}
	}
	return best
}

// weight is the sum of the magnitudes of bytes as signed numbers.
func weight(bytes []byte) (sum int) {
	for _, b := range bytes {
		n := int(int8(b))
		sign := n >> 63
		sum += n ^ sign - sign
	}
	return sum
}

func sub(out, row []byte, bpp int) {
	copy(out[:bpp], row)
	left, rest, out := row[:len(row)-bpp], row[bpp:], out[bpp:]
	for i, l := range left {
		out[i] = rest[i] - l
	}
}

func up(out, row, above []byte, _ int) {
	above, out = above[:len(row)], out[:len(row)]
	for i, b := range row {
		out[i] = b - above[i]
	}
}

func average(out, row, above []byte, bpp int) {
	for i := range bpp {
		out[i] = row[i] - above[i]/2
	}
	left, rest, above, out := row[:len(row)-bpp], row[bpp:], above[bpp:], out[bpp:]
	for i, l := range left {
		out[i] = rest[i] - byte((int(l)+int(above[i]))/2)
	}
}

// paeth is the difference from that of the neighbours left, above and above left which is nearest to left + above - above
// left (A. Paeth, Image file compression made easy, Graphics Gems II, 1991).
func paeth(out, row, above []byte, bpp int) {
	for i := range bpp {
		out[i] = row[i] - above[i]
	}
	left, rest, corner, above, out := row[:len(row)-bpp], row[bpp:], above[:len(row)-bpp], above[bpp:], out[bpp:]
	for i, l := range left {
		a, b, c := int(l), int(above[i]), int(corner[i])
		da, db := b-c, a-c // left + above - above left, less left and less above
		dc := magnitude(da + db)
		da, db = magnitude(da), magnitude(db)
		expect := l
		if db < da || dc < da {
			expect = above[i]
			if dc < db {
				expect = corner[i]
			}
		}
		out[i] = rest[i] - expect
	}
}

func magnitude(n int) int {
	sign := n >> 63
	return n ^ sign - sign
}
