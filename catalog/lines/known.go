package lines

// knownEvery is the number of lines between two known sums of digests.
const knownEvery = 10_000

// knownDigests returns the sums of the digests of the first 0, 10,000, 20,000... lines, so that a check does not have
// to hash them again. A test verifies them.
func knownDigests() [21]uint64 {
	return [21]uint64{
		0x0000000000000000, 0xed90566c8931d522, 0x357036e9c11eec9d, 0x0e2dea9b1b0b0a2a, 0x2020036a6da559e7,
		0xe50e57a6657c5d19,
		0xf46e3b44a1e4ac70, 0xcc565988ccee1d34, 0xc095887d49a3a93e, 0xc5938cb072769923, 0x950942bf5654c043,
		0x58725837ab2b1c90,
		0xe2723f7410a2ad3d, 0xcf2be454fe603c1a, 0xdd42cc9002308ead, 0xe2f3fa7f44b2acd0, 0x9449604081c9f7b0,
		0xa8cec7d61e899265,
		0x9afa22169dd13df5, 0xa3b17b067bc46a98, 0x9cf3d028ef51afc2,
	}
}
