package mandelbrot

// The colour of a pixel depends on the last point z of its orbit z = z*z + c from 0. The orbit ends after a number of
// iterations or when |z| exceeds 2. All kernels compute the points of an orbit with the same float64 operations in the
// same order, so their colours agree to the last bit. The explicit conversions prevent the compiler from fusing a
// product and a sum (Go specification, Floating-point operators), which it does on some machines.

// orbit returns the colour of the point cr + ci*i after at most n iterations. It is the loop of the original.
func orbit(cr, ci float64, n int) byte {
	zr, zi, tr, ti := 0.0, 0.0, 0.0, 0.0
	for i := 0; i < n && float64(tr+ti) <= 4; i++ {
		zi = float64(2*zr*zi) + ci
		zr = float64(tr-ti) + cr
		tr = float64(zr * zr)
		ti = float64(zi * zi)
	}
	return shade(tr, ti)
}

// shade returns the colour of an orbit whose last point has these squares. It is the lowest byte of twice their
// product, which is below 2^63 if |c| is below 1000.
func shade(tr, ti float64) byte { return byte(int64(float64(tr*ti) * 2)) }

// firstKept is the iteration after which an orbit is first compared with its past. A smaller number would slow down
// orbits that leave early.
const firstKept = 16

// cycling is orbit with cycle detection: an orbit that returns to an earlier point repeats itself, so its end is known.
// It compares each point with that after 16, 32, 64... iterations (R. Brent, An improved Monte Carlo factorization
// algorithm, BIT 20, 1980). The result is exact, because rounding makes most orbits in the set periodic to the last
// bit. Zeros of different sign count as equal; their squares, on which the colour depends, are.
func cycling(cr, ci float64, n int) byte {
	zr, zi, tr, ti := 0.0, 0.0, 0.0, 0.0
	sr, si, kept, next := 0.0, 0.0, 0, firstKept
	for i := 0; i < n && float64(tr+ti) <= 4; {
		zi = float64(2*zr*zi) + ci
		zr = float64(tr-ti) + cr
		tr = float64(zr * zr)
		ti = float64(zi * zi)
		i++
		if zr == sr && zi == si {
			n = i + (n-i)%(i-kept)
		}
		if i == next {
			sr, si, kept, next = zr, zi, i, 2*i
		}
	}
	return shade(tr, ti)
}

// lane is the state of an orbit.
type lane struct {
	zr, zi, tr, ti, cr float64
	sr, si             float64 // the point after kept iterations
	pixel              int
	done, end          int // iterations done, and their number at the end
	kept, next         int // next is the iteration whose point will be kept
}

func (l *lane) start(pixel int, cr float64, n int) {
	*l = lane{pixel: pixel, cr: cr, end: n, next: firstKept}
}

// room returns the number of iterations until the next check.
func (l *lane) room() int { return min(l.end, l.next) - l.done }

// turn checks a lane after k more iterations, and reports whether its orbit has ended.
func (l *lane) turn(k int) (ended bool) {
	l.done += k
	if float64(l.tr+l.ti) > 4 {
		return true
	}
	if l.zr == l.sr && l.zi == l.si {
		l.end = l.done + (l.end-l.done)%(l.done-l.kept)
	}
	if l.done == l.next {
		l.sr, l.si, l.kept, l.next = l.zr, l.zi, l.done, 2*l.done
	}
	return l.done >= l.end
}

// lanes is cycling for the points with the real parts crs and the imaginary part ci. It interleaves two orbits: each
// operation of an orbit depends on the one before, so a CPU can execute another orbit meanwhile (instruction-level
// parallelism).
func lanes(colours []byte, crs []float64, ci float64, n int) {
	if n <= 0 || len(crs) < 2 {
		for i, cr := range crs {
			colours[i] = cycling(cr, ci, n)
		}
		return
	}
	var a, b lane
	a.start(0, crs[0], n)
	b.start(1, crs[1], n)
	begun := 2
	another := func(l *lane) (none bool) {
		colours[l.pixel] = shade(l.tr, l.ti)
		if begun == len(crs) {
			return true
		}
		l.start(begun, crs[begun], n)
		begun++
		return false
	}
	for {
		k := together(&a, &b, ci, min(a.room(), b.room()))
		endA, endB := a.turn(k), b.turn(k)
		if endA && another(&a) {
			colours[b.pixel] = cycling(b.cr, ci, n)
			return
		}
		if endB && another(&b) {
			colours[a.pixel] = cycling(a.cr, ci, n)
			return
		}
	}
}

// together does at most k iterations of both orbits, k >= 1. It stops when one of them leaves or may have cycled.
func together(a, b *lane, ci float64, k int) (done int) {
	ar, ai, atr, ati, acr, asr := a.zr, a.zi, a.tr, a.ti, a.cr, a.sr
	br, bi, btr, bti, bcr, bsr := b.zr, b.zi, b.tr, b.ti, b.cr, b.sr
	i := 0
	for i < k {
		ai = float64(2*ar*ai) + ci
		bi = float64(2*br*bi) + ci
		ar = float64(atr-ati) + acr
		br = float64(btr-bti) + bcr
		atr = float64(ar * ar)
		btr = float64(br * br)
		ati = float64(ai * ai)
		bti = float64(bi * bi)
		i++
		if float64(atr+ati) > 4 || float64(btr+bti) > 4 || ar == asr || br == bsr {
			break
		}
	}
	a.zr, a.zi, a.tr, a.ti = ar, ai, atr, ati
	b.zr, b.zi, b.tr, b.ti = br, bi, btr, bti
	return i
}
