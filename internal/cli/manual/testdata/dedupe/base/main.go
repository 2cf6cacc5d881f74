// Command dedupe counts the distinct pages of a site.
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

const (
	pages   = 40000
	workers = 4
)

func main() {
	set := &Set{seen: map[[32]byte]bool{}}
	var next, distinct atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			page := make([]byte, 64<<10)
			for n := next.Add(1); n <= pages; n = next.Add(1) {
				fill(page, n%1000)
				if set.Add(page) {
					distinct.Add(1)
				}
			}
		})
	}
	wg.Wait()
	fmt.Println(distinct.Load(), "distinct pages")
}

// fill makes page number n.
func fill(page []byte, n int64) {
	page[0], page[1] = byte(n), byte(n>>8)
}
