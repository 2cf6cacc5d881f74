package quote

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// Width returns the number of columns of printable text on a terminal: 2 for wide characters of East Asia and
// pictographs, 0 for combining marks, otherwise 1 (Unicode Standard Annex 11).
func Width(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			for _, r := range s[i:] {
				n += columns(r)
			}
			return n
		}
		n++
	}
	return n
}

// columns returns the width of a rune.
func columns(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r >= 0x1100 && slices.ContainsFunc(wide, func(block [2]rune) bool { return block[0] <= r && r <= block[1] }):
		return 2
	}
	return 1
}

// wide are the ranges of characters of two columns, first and last: East_Asian_Width W and F, in whole blocks.
var wide = [][2]rune{
	{0x1100, 0x115f}, {0x231a, 0x231b}, {0x23e9, 0x23ec}, {0x2614, 0x2615}, {0x2705, 0x2705}, {0x270a, 0x270b},
	{0x2728, 0x2728},
	{0x274c, 0x274c}, {0x2753, 0x2755}, {0x2795, 0x2797}, {0x2b1b, 0x2b1c}, {0x2e80, 0x303e}, {0x3041, 0x4dbf},
	{0x4e00, 0xa4cf},
	{0xa960, 0xa97f}, {0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xfe30, 0xfe6f}, {0xff01, 0xff60}, {0xffe0, 0xffe6},
	{0x16fe0, 0x18aff}, {0x1b000, 0x1b2ff}, {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f320},
	{0x1f32d, 0x1f64f},
	{0x1f680, 0x1f6ff}, {0x1f7e0, 0x1f7eb}, {0x1f900, 0x1faff}, {0x20000, 0x3fffd},
}

// Cut returns the longest prefix of printable text that has at most the given number of columns.
func Cut(s string, width int) string {
	n := 0
	for i, r := range s {
		if n += columns(r); n > width {
			return s[:i]
		}
	}
	return s
}
