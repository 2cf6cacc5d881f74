package live

// Spin runs n iterations of a chain of dependent multiplications and additions. It is the unit of Burn. Its time is
// set by the latency of the chain, so it hardly depends on alignment, caches or the load of the other core. The
// runtime can preempt it anywhere. The result keeps the compiler from removing the loop.
//
//go:noinline
func Spin(n uint64) uint64 {
	x := n | 1
	for range n {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}
