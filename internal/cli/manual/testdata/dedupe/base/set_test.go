package main

import (
	"sync/atomic"
	"testing"
)

func BenchmarkAdd(b *testing.B) {
	set := &Set{seen: map[[32]byte]bool{}}
	page := make([]byte, 64<<10)
	for n := range int64(1000) {
		fill(page, n)
		set.Add(page)
	}
	var workers atomic.Int64
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		page := make([]byte, 64<<10)
		for n := workers.Add(1); pb.Next(); n++ {
			fill(page, n%1000)
			set.Add(page)
		}
	})
}
