package mandelbrot

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/adler32"
	"hash/crc32"
	"image"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/brewput/brewput/internal/seeded"
	"github.com/brewput/brewput/plan"
)

func TestMain(m *testing.M) {
	seeded.Fix()
	m.Run()
}

// corners are points with special orbits: fixed, periodic from the start, on the axis, at the edge, zeros of either
// sign.
var corners = []float64{0, math.Copysign(0, -1), 0.25, -0.75, -1, -1.25, -2, 2, 0.5, 1, -1, 1e-300, -1.7548776662466927,
	math.Nextafter(-2, -3)}

func reals() *rapid.Generator[float64] {
	return rapid.OneOf(rapid.SampledFrom(corners), rapid.Float64Range(-2.2, 2.2), rapid.Float64Range(-0.8, 0.3))
}

// TestKernels checks that the colours of all kernels equal those of orbit.
func TestKernels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		crs, ci := rapid.SliceOfN(reals(), 0, 40).Draw(t, "real"), reals().Draw(t, "imaginary")
		n := rapid.OneOf(rapid.IntRange(0, 40), rapid.IntRange(0, 3000)).Draw(t, "iterations")
		kernels(t, crs, ci, n)
	})
}

func FuzzKernels(f *testing.F) {
	f.Add(0.25, -1.0, 0.0, 1000)
	f.Add(-0.1, -0.12, 0.75, 3000)
	f.Fuzz(func(t *testing.T, a, b, ci float64, n int) {
		for _, x := range []float64{a, b, ci} {
			if !(math.Abs(x) <= 100) {
				return // no point of a picture
			}
		}
		kernels(t, []float64{a, b, a, a + b}, ci, n%5000)
	})
}

func kernels(t interface{ Fatalf(string, ...any) }, crs []float64, ci float64, n int) {
	colours := make([]byte, len(crs))
	lanes(colours, crs, ci, n)
	for i, cr := range crs {
		want := orbit(cr, ci, n)
		if got := cycling(cr, ci, n); got != want {
			t.Fatalf("cycling: %v%+vi has after %d iterations %d instead of %d", cr, ci, n, got, want)
		}
		if colours[i] != want {
			t.Fatalf("lanes: %v%+vi, number %d of %d, has after %d iterations %d instead of %d", cr, ci, i, len(crs), n,
				colours[i], want)
		}
	}
}

// TestWholeSum checks wholeSum against the loop of the original.
func TestWholeSum(t *testing.T) {
	s := theWhole()
	gray := make([]byte, 0, s.size*s.size)
	for y := range s.size {
		for x := range s.size {
			gray = append(gray, orbit(s.column(x), s.row(y), s.iterations))
		}
	}
	if sum := crc32.ChecksumIEEE(gray); sum != wholeSum {
		t.Errorf("the whole set has the sum %#x", sum)
	}
}

// TestVerify checks that a picture with one wrong pixel is refused, whether its sum is known or not.
func TestVerify(t *testing.T) {
	for _, s := range []scene{theWhole(), {size: 20, iterations: 50, re: -1, im: 0.1, zoom: 2}} {
		m := image.NewGray(image.Rect(0, 0, s.size, s.size))
		draw(s, m.Pix)
		if _, err := s.verify(m); err != nil {
			t.Error(err)
		}
		m.Pix[3*s.size+4] ^= 1
		if _, err := s.verify(m); err == nil || !strings.Contains(err.Error(), "pixel 4,3 is") {
			t.Errorf("a wrong pixel: %v", err)
		}
		if _, err := s.verify(image.NewGray(image.Rect(0, 0, s.size, s.size+1))); err == nil {
			t.Error("a picture of another size is taken")
		}
	}
}

// TestMirror checks that conjugate points have the same colour at any size, so that half of a picture can be copied.
func TestMirror(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scene{size: rapid.IntRange(1, 3000).Draw(t, "size"), zoom: rapid.Float64Range(0.01, 1e6).Draw(t, "zoom"),
			re: reals().Draw(t, "real"), iterations: 100}
		y := rapid.IntRange(0, s.size).Draw(t, "row")
		if s.row(y) != -s.row(s.size-y) {
			t.Errorf("rows %d and %d of %d are at %v and %v", y, s.size-y, s.size, s.row(y), s.row(s.size-y))
		}
		if cr := s.column(y); orbit(cr, s.row(y), 100) != orbit(cr, s.row(s.size-y), 100) {
			t.Errorf("the colours differ")
		}
	})
}

// TestTasks checks that blocks have no gaps, and that each belongs to one task.
func TestTasks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scene{size: rapid.IntRange(1, 200).Draw(t, "size"), im: rapid.SampledFrom([]float64{0, 0.5}).Draw(t, "im")}
		blocks, tasks := s.tasks(rapid.IntRange(1, 250).Draw(t, "rows"))
		at := 0
		for _, b := range blocks {
			if b.first != at || b.end <= b.first {
				t.Fatalf("%v after %d", b, at)
			}
			at = b.end
		}
		if at != s.size {
			t.Fatalf("the blocks end at %d", at)
		}
		var named []int
		for _, k := range tasks {
			named = append(named, k.block)
			if k.twin >= 0 {
				named = append(named, k.twin)
			}
		}
		if slices.Sort(named); len(named) != len(blocks) || len(slices.Compact(named)) != len(blocks) {
			t.Fatalf("tasks name the blocks %v of %d", named, len(blocks))
		}
	})
}

// picture makes a file with the given pixels.
func picture(t *rapid.T) (gray []byte, size int, encoded []byte) {
	size = rapid.IntRange(1, 70).Draw(t, "size")
	gray = make([]byte, size*size)
	noise := rapid.IntRange(1, 256).Draw(t, "noise")
	seed := rapid.Uint32().Draw(t, "seed")
	for i := range gray {
		seed = seed*1664525 + 1013904223
		gray[i] = byte(int(seed>>24)%noise) + byte(i/7)
	}
	f := newFile(gray, size, rapid.SampledFrom([]int{1, 3}).Draw(t, "bpp"), rapid.IntRange(1, 9).Draw(t, "level"),
		blocksOf(size, rapid.IntRange(1, 80).Draw(t, "rows")))
	c := f.newCompressor()
	for k := len(f.blocks) - 1; k >= 0; k-- {
		f.compress(k, c)
	}
	encoded = f.join()
	for k := range f.blocks {
		f.compress(k, f.newCompressor())
	}
	if !bytes.Equal(f.join(), encoded) {
		t.Error("the file depends on the order of its blocks, or on who makes them")
	}
	return gray, size, encoded
}

// TestFilter checks that filtered rows do not depend on the size of the blocks.
func TestFilter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size, bpp := rapid.IntRange(1, 40).Draw(t, "size"), rapid.SampledFrom([]int{1, 3}).Draw(t, "bpp")
		gray := rapid.SliceOfN(rapid.Byte(), size*size, size*size).Draw(t, "gray")
		filtered := func(each int) []byte {
			var all bytes.Buffer
			f := newFile(gray, size, bpp, 5, blocksOf(size, each))
			c := f.newCompressor()
			for k := range f.blocks {
				f.filter(k, c, &all)
			}
			return all.Bytes()
		}
		if each := rapid.IntRange(1, size).Draw(t, "rows"); !bytes.Equal(filtered(each), filtered(size)) {
			t.Errorf("blocks of %d rows are filtered otherwise", each)
		}
	})
}

// TestFile checks that image/png decodes a file to the pixels that were given.
func TestFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gray, size, encoded := picture(t)
		m, err := png.Decode(bytes.NewReader(encoded))
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range gray {
			if r, g, b, a := m.At(i%size, i/size).RGBA(); r>>8 != uint32(n) || g != r || b != r || a != 0xffff {
				t.Fatalf("pixel %d is %v", i, m.At(i%size, i/size))
			}
		}
	})
}

// foreign decodes a PNG with Python's zlib, which verifies checksums, and undoes filters by the standard.
// It prints the size, the number of bytes per pixel and the CRC-32 of the pixels.
const foreign = `
import sys, zlib, struct
d = open(sys.argv[1], 'rb').read()
assert d[:8] == b'\x89PNG\r\n\x1a\n'
at, data, ended = 8, b'', False
while at < len(d):
    n, kind = struct.unpack('>I4s', d[at:at+8])
    body = d[at+8:at+8+n]
    assert zlib.crc32(kind + body) == struct.unpack('>I', d[at+8+n:at+12+n])[0], 'CRC of ' + str(kind)
    if kind == b'IHDR': w, h, depth, colours, *rest = struct.unpack('>IIBBBBB', body)
    if kind == b'IDAT': data += body
    ended = kind == b'IEND'
    at += 12 + n
assert ended and depth == 8 and rest == [0, 0, 0]
z = zlib.decompressobj()
raw = z.decompress(data) + z.flush()
assert z.eof and z.unused_data == b''
bpp = {0: 1, 2: 3}[colours]
above, out, step = bytearray(w*bpp), b'', w*bpp + 1
assert len(raw) == step * h
for y in range(h):
    kind, row = raw[y*step], bytearray(raw[y*step+1:(y+1)*step])
    for i in range(len(row)):
        a = row[i-bpp] if i >= bpp else 0
        b = above[i]
        c = above[i-bpp] if i >= bpp else 0
        p = a + b - c
        paeth = min((abs(p-a), 0, a), (abs(p-b), 1, b), (abs(p-c), 2, c))[2]
        row[i] = row[i] + [0, a, b, (a+b)//2, paeth][kind] & 255
    above = row
    out += row
print(w, bpp, zlib.crc32(out))
`

// TestForeignDecoder checks that an independent decoder finds the same pixels.
func TestForeignDecoder(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 to decode with")
	}
	name := filepath.Join(t.TempDir(), "a.png")
	for _, bpp := range []int{1, 3} {
		s := scene{size: 300, iterations: 200, re: -0.5, zoom: 1}
		gray := make([]byte, s.size*s.size)
		draw(s, gray)
		f := newFile(gray, s.size, bpp, 5, blocksOf(s.size, 64))
		c := f.newCompressor()
		for k := range f.blocks {
			f.compress(k, c)
		}
		if err := save(name, f.join()); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(python, "-c", foreign, name).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		var all []byte
		for _, n := range gray {
			all = append(all, bytes.Repeat([]byte{n}, bpp)...)
		}
		if want := fmt.Sprintf("%d %d %d\n", s.size, bpp, crc32.ChecksumIEEE(all)); string(out) != want {
			t.Errorf("%s instead of %s", out, want)
		}
	}
}

// TestCombine checks the Adler-32 of the concatenation of two texts.
func TestCombine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "a"), rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "b")
		b = bytes.Repeat(b, rapid.SampledFrom([]int{1, 1000}).Draw(t, "times"))
		if got, want := combine(adler32.Checksum(a), adler32.Checksum(b),
			len(b)), adler32.Checksum(slices.Concat(a, b)); got != want {
			t.Errorf("%x instead of %x", got, want)
		}
	})
}

// TestChunks checks that the data of several blocks is one stream with one end. There is a chunk for each block and one
// for the checksum.
func TestChunks(t *testing.T) {
	f := newFile(make([]byte, 100*100), 100, 1, 5, blocksOf(100, 30))
	c := f.newCompressor()
	for k := range f.blocks {
		f.compress(k, c)
	}
	count := map[string]int{}
	for rest := f.join()[8:]; len(rest) > 0; {
		n := binary.BigEndian.Uint32(rest)
		count[string(rest[4:8])]++
		rest = rest[12+n:]
	}
	if count["IHDR"] != 1 || count["IDAT"] != 5 || count["IEND"] != 1 || len(count) != 3 {
		t.Errorf("chunks %v", count)
	}
}

// TestSave checks that the saved file is that of the design, and that the error names a missing folder.
func TestSave(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.png")
	s := scene{size: 9, iterations: 20, re: -0.5, zoom: 1}
	m := image.NewGray(image.Rect(0, 0, 9, 9))
	draw(s, m.Pix)
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	p := plan.NewPoint(plan.Setting{Factor: "save", Level: plan.TextLevel(name)})
	if _, err := audit(s, nil, b.Bytes(), p); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, b.Bytes()) {
		t.Errorf("saved %d bytes of %d: %v", len(got), b.Len(), err)
	}
	if err := save(filepath.Join(name, "b.png"), nil); err == nil || !strings.Contains(err.Error(), "save: ") {
		t.Errorf("saving below a file: %v", err)
	}
	if _, err := audit(s, nil, b.Bytes()[:100], p); err == nil || !strings.Contains(err.Error(), "no PNG") {
		t.Errorf("half a file: %v", err)
	}
}

func BenchmarkKernels(b *testing.B) {
	s := scene{size: 512, iterations: 1000, re: -0.5, zoom: 1}
	gray, crs := make([]byte, s.size*s.size), s.reals()
	for name, row := range map[string]func(out []byte, ci float64){
		"orbit": func(out []byte, ci float64) {
			for x := range out {
				out[x] = orbit(crs[x], ci, s.iterations)
			}
		},
		"cycling": func(out []byte, ci float64) {
			for x := range out {
				out[x] = cycling(crs[x], ci, s.iterations)
			}
		},
		"lanes": func(out []byte, ci float64) { lanes(out, crs, ci, s.iterations) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				for y := range s.size {
					row(gray[y*s.size:(y+1)*s.size], s.row(y))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(gray)), "ns/pixel")
		})
	}
}
