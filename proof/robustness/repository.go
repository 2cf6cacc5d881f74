//go:build linux

package main

// benchmarks are the files of a small module with two benchmarks.
var benchmarks = map[string]string{
	"go.mod": "module example.com/cups\n\ngo 1.24\n",
	"cups_test.go": `package cups

import "testing"

var sink int

func BenchmarkBrew(b *testing.B) {
	for b.Loop() {
		for i := range 1000 {
			sink += i
		}
	}
}

func BenchmarkCups(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		sink += len(make([]int, sink&7))
	}
}
`,
}
