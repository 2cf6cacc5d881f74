package sim

import "math/bits"

// Stream is a stream of random times for [Program.Exp]. The n-th time is a function of the seed, the number of the
// stream and n.
type Stream struct {
	draws
	ahead uint64 // the next number of mean 1, drawn early to hide its latency
}

// NewStream creates a stream at its beginning.
func NewStream(seed, number uint64) *Stream {
	s := &Stream{draws: draws{key: mix(mix(seed) + number)}}
	s.Exp(0)
	return s
}

// Exp returns an exponential number with the given mean, from 0 to 2^57, rounded down to a whole number. It
// multiplies the mean by a number of mean 1, in units of 2^-57 and at most 53. That number comes from the ziggurat
// with 256 layers of equal area (Marsaglia and Tsang: The ziggurat method for generating random variables, Journal of
// Statistical Software 5(8), 2000). 98.9% of the numbers take one draw, one product and one comparison: they are left
// of the next layer's edge, and so under the curve. Integer arithmetic makes the result the same on every machine.
func (s *Stream) Exp(mean int64) int64 {
	hi, lo := bits.Mul64(uint64(mean), s.ahead)
	u := s.next()
	i := u & 255
	x, _ := bits.Mul64(edges[i], u&^255)
	if x >= edges[i+1] {
		x = s.outside(x, i)
	}
	s.ahead = x
	return int64(hi<<7 | lo>>57)
}

// minusLog returns -ln(u/2^64) in units of 2^-57. It looks the logarithm up in a table and interpolates by a
// parabola, with an error of at most 1e-9. It is fast because it has no branch.
func minusLog(u uint64) uint64 {
	u |= 1
	zeros := uint64(bits.LeadingZeros64(u))
	u <<= zeros & 63 // the number is u/2^64 2^-zeros, and u/2^63 from 1 to 2
	i := u >> 55 & 255
	f := u << 9 >> 32 // how far from i to i+1, in 2^-32
	low := logs[i]
	d := logs[i+1] - low
	line, _ := bits.Mul64(d, f<<32)
	// The parabola lies above the line by f (1-f) d^2/2, as the second derivative of ln is minus the square of the
	// first.
	bend, _ := bits.Mul64(d<<9, d<<9) // of d^2, in units of 2^-68
	above := (bend >> 32) * (f * (1<<32 - f) >> 32) >> 12
	return (zeros+1)*ln2 - low - line - above
}

// ln2 is ln 2 in units of 2^-57, as is logs.
const ln2 = 0x162e42fefa39ef3

// logs is ln(1 + i/256).
var logs = [257]uint64{
	0x0, 0x1ff00aa2b10bc, 0x3fc054d620cf1, 0x5f711d7e0429e, 0x7f02a2c3f00f9, 0x9e75221a352ba,
	0xbdc8d83ead88d, 0xdcfe013d7c8cc, 0xfc14d873c1980, 0x11b0d98923d980, 0x139e87b9febd60, 0x158a5bafc8e4d5,
	0x177458f632dcfc, 0x195c830ec8e3eb, 0x1b42dd711971bf, 0x1d276b8adb0b52, 0x1f0a30c01162a6, 0x20eb306b31c8e2,
	0x22ca6ddd46f5c2, 0x24a7ec5e14282e, 0x2683af2c37a3a1, 0x285db97d4c8de0, 0x2a360e7e0c307f, 0x2c0cb1526ea187,
	0x2de1a515cad697, 0x2fb4ecdaf62599, 0x31868bac633642, 0x3356848c40675a, 0x3524da7495aac7, 0x36f1905761db42,
	0x38bca91eb78e86, 0x3a8627acd966bb, 0x3c4e0edc55e5cc, 0x3e14618022c54d, 0x3fd92263b7d575, 0x419c544b2965b9,
	0x435df9f3423966, 0x451e16119d0ab2, 0x46dcab54bd9e81, 0x4899bc64296b2e, 0x4a554be07fd48d, 0x4c0f5c6391ff4c,
	0x4dc7f0807a3dd1, 0x4f7f0ac3b318a7, 0x5134adb32df47a, 0x52e8dbce695795, 0x549b978e86d0df, 0x564ce366608217,
	0x57fcc1c29e4f4f, 0x59ab3509cab543, 0x5b583f9c674872, 0x5d03e3d500de93, 0x5eae2408436424, 0x605702850d5fab,
	0x61fe8194832442, 0x63a4a37a21b503, 0x65496a73d15ad2, 0x66ecd8b9f7ee0d, 0x688ef07f8ad58c, 0x6a2fb3f220bc63,
	0x6bcf253a02ffcb, 0x6d6d467a3ed692, 0x6f0a19d0b63359, 0x70a5a156306303, 0x723fdf1e6a6887, 0x73d8d538271771,
	0x757085ad3eee45, 0x7706f282afb1f6, 0x789c1db8abcb98, 0x7a30094aa96980, 0x7bc2b72f7164d9, 0x7d5429592decdc,
	0x7ee461b578f8aa, 0x8073622d6a80e6, 0x82012ca5a68207, 0x838dc2fe6ac869, 0x851927139c871b, 0x86a35abcd5ba59,
	0x882c5fcd7256a9, 0x89b438149d4583, 0x8b3ae55d5d3070, 0x8cc0696ea11b7b, 0x8e44c60b4ccfd8, 0x8fc7fcf2451794,
	0x914a0fde7bcb2d, 0x92cb0086fbb1cf, 0x944ad09ef4351b, 0x95c981d5c4e925, 0x974715d708e985, 0x98c38e4aa20c28,
	0x9a3eecd4c3eaa7, 0x9bb93315fec2d8, 0x9d3262ab4a2f4e, 0x9eaa7d2e0fb87c, 0xa0218434353f1e, 0xa197795027409e,
	0xa30c5e10e2f614, 0xa4803402004e86, 0xa5f2fcabbbc507, 0xa764b99300134d, 0xa8d56c396fc168, 0xaa45161d6e9316,
	0xabb3b8ba2ad363, 0xad215587a67f0d, 0xae8dedfac04e53, 0xaff983853c9e9e, 0xb1641795ce3ca9, 0xb2cdab981f0f94,
	0xb43640f4d8a576, 0xb59dd911aca1ec, 0xb70475515d0f1c, 0xb86a1713c491af, 0xb9cebfb5de8035, 0xbb327091cede76,
	0xbc952afeea3d14, 0xbdf6f051bd7dfd, 0xbf57c1dc157e1b, 0xc0b7a0ed06a4ae, 0xc2168ed0f458ba, 0xc3748cd1985d00,
	0xc4d19c360a12d6, 0xc62dbe42c5a454, 0xc788f439b3163c, 0xc8e33f5a2d41ec, 0xca3ca0e108b7d6, 0xcb951a089a8ac3,
	0xccecac08bf0456, 0xce435816e04315, 0xcf991f65fcc260, 0xd0ee0326adccab, 0xd24204872dd851, 0xd39524b35ecf51,
	0xd4e764d4d0424c, 0xd638c612c58720, 0xd78949923bc359, 0xd8d8f075efe2db, 0xda27bbde647b14, 0xdb75ace9e79aed,
	0xdcc2c4b49887db, 0xde0f04586d6852, 0xdf5a6ced38dbe0, 0xe0a4ff88af8135, 0xe1eebd3e6d6a6c, 0xe337a71ffb7fbf,
	0xe47fbe3cd4d10d, 0xe5c703a26bd650, 0xe70d785c2f9f5c, 0xe8531d7390f321, 0xe997f3f0075eab, 0xeadbfcd716341e,
	0xec1f392c5179f3, 0xed61a9f162caa1, 0xeea350260e2506, 0xefe42cc836adaa, 0xf12440d3e36131, 0xf2638d4343b821,
	0xf3a2130eb43c3f, 0xf4dfd32cc30fab, 0xf61cce92346601, 0xf759063206efa2, 0xf8947afd783766, 0xf9cf2de408f2de,
	0xfb091fd3814563, 0xfc4251b7f4f611, 0xfd7ac47bc798f7, 0xfeb27907b0ab8e, 0xffe97042bfa4c3, 0x1011fab125ff8a2,
	0x102552a5a5d0fec, 0x10389eefce633b4, 0x104bdf9da926d26, 0x105f14bd26459c1, 0x10723e5c1cdf405, 0x10855c884b450e6,
	0x10986f4f573520c, 0x10ab76bece14d1c, 0x10be72e4252a82b, 0x10d163ccb9d6b7e, 0x10e44985d1cc8bf, 0x10f7241c9b497d5,
	0x1109f39e2d4c970, 0x111cb81787ccf84, 0x112f719593efbc5, 0x11422025243d44f, 0x1154c3d2f4d5e9b, 0x11675cababa60e0,
	0x1179eabbd899a0c, 0x118c6e0ff5cf061, 0x119ee6b467c96ed, 0x11b154b57da29ef, 0x11c3b81f713c24c, 0x11d610fe6770031,
	0x11e85f5e7040d04, 0x11faa34b87094c1, 0x120cdcd192ab6d9, 0x121f0bfc65beebe, 0x123130d7bebf428, 0x12434b6f483933e,
	0x12555bce98f7cb4, 0x126762013430dfd, 0x12795e1289b11af, 0x128b500df60782b, 0x129d37fec2b08ad, 0x12af15f02640ad2,
	0x12c0e9ed448e8bc, 0x12d2b4012edc9db, 0x12e47436e402684, 0x12f62a995095463, 0x1307d7334f10be2, 0x13197a0fa7fe6a2,
	0x132b1339121d713, 0x133ca2ba328994d, 0x134e289d9ce1d31, 0x135fa4edd36ea00, 0x137117b54747b5c, 0x138280fe58797ec,
	0x1393e0d3562a19b, 0x13a5373e7ebdf99, 0x13b68449fffc22b, 0x13c7c7fff73205d, 0x13d9026a7156faa, 0x13ea33936b2f5b8,
	0x13fb5b84d16f426, 0x140c7a4880dce92, 0x141d8fe84672ae6, 0x142e9c6ddf80bf3, 0x143f9fe2f9ce678, 0x14509a5133bb0a5,
	0x14618bc21c5ec28, 0x1472743f33aaad3, 0x148353d1ea88df7, 0x14942a83a2fc078, 0x14a4f85db03ebb0, 0x14b5bd6956e2739,
	0x14c679afccee39b, 0x14d72d3a39fd004, 0x14e7d811b75bb0a, 0x14f87a3f5026e88, 0x150913cc01686b5, 0x1519a4c0ba34466,
	0x152a2d265bc5aaf, 0x153aad05b99b7cb, 0x154b2467999497b, 0x155b9354b40bcd4, 0x156bf9d5b3f3994, 0x157c57f336f1908,
	0x158cadb5cd79893, 0x159cfb25fae87df, 0x15ad404c359f2d0, 0x15bd7d30e71c732, 0x15cdb1dc6c17649, 0x15ddde571499237,
	0x15ee02a92416757, 0x15fe1edad189189, 0x160e32f44788d8d, 0x161e3efda464669, 0x162e42fefa39ef3,
}
