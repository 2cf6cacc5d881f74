package mandelbrot

import "testing"

func BenchmarkKernels(b *testing.B) {
	const size = 512
	crs := make([]float64, size)
	for x := range crs {
		crs[x] = -0.5 + float64(2*x-size)/size
	}
	want, row := make([]byte, size*size), make([]byte, size)
	b.Run("orbit", func(b *testing.B) {
		for b.Loop() {
			for y := range size {
				ci := float64(2*y-size) / size
				for x := range row {
					want[y*size+x] = orbit(crs[x], ci, 1000)
				}
			}
		}
	})
	b.Run("cycling", func(b *testing.B) {
		for b.Loop() {
			for y := range size {
				ci := float64(2*y-size) / size
				for x := range row {
					if c := cycling(crs[x], ci, 1000); c != want[y*size+x] {
						b.Fatal(x, y, c, want[y*size+x])
					}
				}
			}
		}
	})
	b.Run("lanes", func(b *testing.B) {
		for b.Loop() {
			for y := range size {
				ci := float64(2*y-size) / size
				lanes(row, crs, ci, 1000)
				for x := range row {
					if c := row[x]; c != want[y*size+x] {
						b.Fatal(x, y, c, want[y*size+x])
					}
				}
			}
		}
	})
}
