// Package hostile tests the output of brewput with hostile names, which a terminal, a browser or a spreadsheet
// would act on. It has such names; a workload, a stored run and a profile that contain a name; and checks of
// the pages that show it. Tests and proof/robustness use it, the product does not.
package hostile

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// Forged is a name that forges a line of brewput's output if it is not quoted. The line begins with ForgedLine.
const (
	Forged     = "\n" + ForgedLine + ": all is well\n"
	ForgedLine = "warning-forged"
)

// pieces are parts of names. The last but one is longer than any line.
var pieces = []string{
	"\x1b[31m", "\x1b]0;title\x07", "\x1b]8;;http://evil\x1b\\", "\u009b31m", "\x9b31m", "\x9d0;x\x9c", "\b\b\b",
	"\x7f", "\r", "\a", "\n", "\x00", Forged,
	"\u202e", "\u2066", "\u2069", "\u200e", "\u200f", "\u061c", "\u200b", "\u200d", "\ufeff", "\u2028", "\u2029",
	"\xff", "\xc3\x28", "\xed\xa0\x80",
	"\U000e0041", "\ufe0f", "\ufdd0", "\ufdef", "\ue000", "[a](http://evil)", "![a](http://evil)",
	"<script>alert(1)</script>", "</text>", "]]>",
	"|a|b|", "`code`", "=cmd()", "+1+1", "-1+1", "@SUM(1)", "\t=1", "\"quoted\"", "'", "\\", "&amp;", "%s%n", "日本",
	"e\u0301", "# h",
	strings.Repeat("long", 2000), "plain",
}

// Pieces returns parts of names that a program that shows them would act on.
func Pieces() []string { return slices.Clone(pieces) }

// Mixture returns a random name of one to four pieces, with letters between them.
func Mixture(draw *rand.Rand) string {
	name := ""
	for range 1 + draw.IntN(4) {
		name += pieces[draw.IntN(len(pieces))] + strings.Repeat("x", draw.IntN(3))
	}
	return name
}
