package model

import "math"

// KarpFlatt returns the experimentally determined serial fraction of a fixed job that ran speedup times as fast on n
// CPUs, n >= 2, as on one (Karp and Flatt, CACM 33(5), 1990): (1/speedup - 1/n) / (1 - 1/n), the inverse of [Amdahl].
// A fraction that grows with n indicates overhead, not indivisible work. A fraction below 0 means a speed-up above n.
// ok is false if an argument is out of range.
func KarpFlatt(speedup float64, n int) (serial float64, ok bool) {
	if !(speedup > 0) || math.IsInf(speedup, 0) || n < 2 {
		return 0, false
	}
	return (1/speedup - 1/float64(n)) / (1 - 1/float64(n)), true
}

// BreakEven returns how many items a job needs so that dividing it among n CPUs saves as much as it costs. The items
// take item seconds each: items*item on one CPU, and overhead + items*item/n divided. The result is overhead / (item
// (1 - 1/n)). ok is false if dividing never pays: n is below 2, or items take no time.
func BreakEven(overhead, item float64, n int) (items float64, ok bool) {
	if !(overhead >= 0 && item > 0 && n >= 2) {
		return 0, false
	}
	return overhead / (item * (1 - 1/float64(n))), true
}

// Chunked returns the time in seconds to sort n items as k chunks, k >= 1, on m CPUs and to merge them. The sorting
// method takes quadratic seconds for all n items in one chunk, in proportion to the square of their number. Merging
// takes merge seconds for each item and bit of k. Each chunk adds each seconds, such as the start of its goroutine:
//
//	quadratic / (k min(k, m)) + merge n log2 k + each k
//
// A chunk has n/k items and takes quadratic/k^2; there are k of them, min(k, m) at a time. ok is false if an argument
// is out of range.
func Chunked(quadratic, merge, each float64, n, k, m int) (seconds float64, ok bool) {
	if !(quadratic >= 0 && merge >= 0 && each >= 0 && n >= 1 && k >= 1 && m >= 1) {
		return 0, false
	}
	return quadratic/(float64(k)*float64(min(k, m))) + merge*float64(n)*math.Log2(float64(k)) + each*float64(k), true
}

// BestChunks returns the k from 1 to n that minimizes [Chunked]. Beyond m CPUs that is the zero of its derivative: 2
// q / (b + sqrt(b^2 + 4 each q)) with q = quadratic / m and b = merge n / ln 2.
func BestChunks(quadratic, merge, each float64, n, m int) (k int, ok bool) {
	least, ok := Chunked(quadratic, merge, each, n, 1, m)
	if !ok {
		return 0, false
	}
	k = 1
	consider := func(candidate int) {
		if t, ok := Chunked(quadratic, merge, each, n, candidate, m); ok && candidate <= n && t < least {
			k, least = candidate, t
		}
	}
	for candidate := 2; candidate <= min(m, n); candidate++ {
		consider(candidate)
	}
	q, b := quadratic/float64(m), merge*float64(n)/math.Ln2
	zero := float64(n) // if chunks cost nothing
	if below := b + math.Sqrt(b*b+4*each*q); below > 0 {
		zero = min(zero, 2*q/below)
	}
	consider(int(zero))
	consider(int(zero) + 1)
	return k, true
}
