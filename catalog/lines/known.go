package lines

// knownEvery is how many lines there are from one known sum of digests to the next.
const knownEvery = 10_000

// knownDigests are the sums of the digests of the first 0, 10,000, 20,000... lines, so that a check need not hash them all
// again. A test computes them.
func knownDigests() [21]uint64 {
	return [21]uint64{
		0,
	}
}
