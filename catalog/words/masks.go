package words

import "math/bits"

// begin counts the words that begin among 64 bytes, of which these are separators and those letters, bit i for byte i.
// A letter puts the bytes behind it inside a word, a separator takes them out, and any other leaves that as it is:
// letters generate what others propagate, as carries do in an addition.
func (t tally) begin(separators, letters uint64) tally {
	sum, carry := bits.Add64(^separators, letters, t.carry())
	inside := sum ^ ^separators ^ letters // the carries into each bit: the bytes that stand inside a word
	return tally{t.words + bits.OnesCount64(letters&^inside), carry != 0}
}

// carry is 1 inside a word, else 0.
func (t tally) carry() uint64 {
	if t.inside {
		return 1
	}
	return 0
}
