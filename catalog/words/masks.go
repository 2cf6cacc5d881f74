package words

import "math/bits"

// begin counts the words that begin in 64 bytes. Bit i of the masks stands for byte i. A letter starts the state inside
// a word, a separator ends it, and other bytes propagate it. Carries of an addition behave the same, so one addition
// computes the state of all bytes.
func (t tally) begin(separators, letters uint64) tally {
	sum, carry := bits.Add64(^separators, letters, t.carry())
	inside := sum ^ ^separators ^ letters // the carries into each bit: bytes that are inside a word
	return tally{t.words + bits.OnesCount64(letters&^inside), carry != 0}
}

// carry returns 1 inside a word, and otherwise 0.
func (t tally) carry() uint64 {
	if t.inside {
		return 1
	}
	return 0
}
