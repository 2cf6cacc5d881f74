package mandelbrot

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// wholeSum is the CRC-32 of the colours of theWhole, row by row, as orbit computes them.
const wholeSum = 0xbf57acf6

// theWhole returns the default scene, which shows the whole set.
func theWhole() scene { return scene{size: 1024, iterations: 1000, re: -0.5, zoom: 1} }

// audit compares the canvas and the encoded file, each unless it is nil, with the right picture. It saves the file if
// the point has the factor save.
func audit(s scene, canvas image.Image, encoded []byte, p plan.Point) (workload.Answer, error) {
	answer := workload.Answer{}
	if canvas != nil {
		sum, err := s.verify(canvas)
		if err != nil {
			return answer, err
		}
		answer["pixels"] = sum
	}
	if encoded == nil {
		return answer, nil
	}
	answer["png_bytes"] = len(encoded)
	decoded, err := png.Decode(bytes.NewReader(encoded))
	if err != nil {
		return answer, fmt.Errorf("the file is no PNG: %w", err)
	}
	if answer["pixels"], err = s.verify(decoded); err != nil {
		return answer, fmt.Errorf("in the file %w", err)
	}
	if p.Has("save") {
		err = save(p.Text("save"), encoded)
	}
	return answer, err
}

// verify compares an image with the right picture and returns the CRC-32 of its colours, in hexadecimal.
func (s scene) verify(m image.Image) (sum string, err error) {
	if want := image.Rect(0, 0, s.size, s.size); m.Bounds() != want {
		return "", fmt.Errorf("the picture is %v instead of %v", m.Bounds(), want)
	}
	gray := make([]byte, 0, s.size*s.size)
	for y := range s.size {
		for x := range s.size {
			c := color.RGBAModel.Convert(m.At(x, y)).(color.RGBA)
			if c.R != c.G || c.R != c.B || c.A != 255 {
				return "", fmt.Errorf("pixel %d,%d is %v and not gray", x, y, c)
			}
			gray = append(gray, c.R)
		}
	}
	crc := crc32.ChecksumIEEE(gray)
	sum = fmt.Sprintf("%08x", crc)
	if s == theWhole() && crc == wholeSum {
		return sum, nil
	}
	want := make([]byte, len(gray))
	draw(s, want)
	for i := 0; i < len(want); i += 101 {
		want[i] = orbit(s.column(i%s.size), s.row(i/s.size), s.iterations)
	}
	for i, n := range gray {
		if n != want[i] {
			return "", fmt.Errorf("pixel %d,%d is %d instead of %d", i%s.size, i/s.size, n, want[i])
		}
	}
	return sum, nil
}
