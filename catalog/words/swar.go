package words

import (
	"encoding/binary"
	"math/bits"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newSWAR reads a buffer at a time and takes 64 bytes at once, in ordinary registers. What limits it: reading, which is
// copying, and some thirteen instructions for eight bytes.
func newSWAR(_ env.Env, p plan.Point) (workload.Job, error) {
	return counting(p, alone(func(in *input) (int, error) { return in.inOrder(in.rule.swar) }))
}

// The masks of SIMD within a register: a byte eight times.
const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones // the highest bit of each byte
	lows  = highs - ones
)

// solid has the highest bit of each byte of x that is no separator; its other bits mean nothing. An addition carries
// into the highest bit of a byte where the byte is large enough, and never beyond, since that bit is taken out before
// (Lamport, Multiple byte processing with full-word instructions, 1975; Warren, Hacker's Delight, 6-1). A byte from \t
// on that is not beyond \r is one of whose two sums one alone has the bit.
func solid(x uint64) uint64 {
	low := x & lows
	return ((low ^ ' '*ones) + lows) ^ (low + (0x80-'\t')*ones) ^ (low + (0x80-'\r'-1)*ones) | x
}

// prints has the highest bit of each byte of x that prints, where x itself has not got it; its other bits mean nothing.
func prints(x uint64) uint64 {
	low := x & lows
	return (low + (0x80-'!')*ones) ^ (low + ones)
}

// swar counts 64 bytes at a time. Eight words make a mask in an order that is cheap to make: bit 8j+k is byte j of word
// k. Where all bytes are separators or print, both rules count the solid bytes that follow a separator.
func (r rule) swar(t tally, p []byte) tally {
	for ; len(p) >= 64; p = p[64:] {
		var mask, strange uint64
		block := p[:64]
		for i := 0; i < 64; i += 8 {
			x := binary.LittleEndian.Uint64(block[i:])
			s := solid(x)
			mask = mask>>1 | s&highs
			strange |= s ^ prints(x) | x
		}
		if r == printing && strange&highs != 0 {
			t = inOrder(t, block)
			continue
		}
		// Before byte j of a word comes its byte j-1, eight bits lower; before its byte 0, byte 7 of the word before.
		before := mask<<8 | mask>>55&0xfe | t.carry()
		t.words += bits.OnesCount64(mask &^ before)
		t.inside = int64(mask) < 0
	}
	return r.simplest(t, p)
}

// inOrder counts 64 bytes by the rule printing whatever they are.
func inOrder(t tally, block []byte) tally {
	var separators, letters uint64
	for i := 0; i < 64; i += 8 {
		x := binary.LittleEndian.Uint64(block[i:])
		separators |= gather(^solid(x)) << i
		letters |= gather(prints(x)&^x) << i
	}
	return t.begin(separators, letters)
}

// gather moves the highest bits of the eight bytes to the lowest byte of the result, in order.
func gather(x uint64) uint64 { return x & highs * (0x0102040810204080 >> 7) >> 56 }
