package words

import (
	"encoding/binary"
	"math/bits"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newSWAR reads a chunk at a time and scans 64 bytes at once with SIMD within a register. Reading, which is a copy, and
// about thirteen instructions for eight bytes limit it.
func newSWAR(_ env.Env, p plan.Point) (workload.Job, error) {
	return counting(p, alone(func(in *input) (int, error) { return in.inOrder(in.rule.swar) }))
}

// The masks of SIMD within a register: the same byte eight times.
const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones // the highest bit of each byte
	lows  = highs - ones
)

// solid sets the highest bit of each byte of x that is no separator. Its other bits are undefined. An addition carries
// into the highest bit of a byte if the byte is large enough, and never beyond, because that bit is cleared before
// (Lamport, Multiple byte processing with full-word instructions, 1975; Warren, Hacker's Delight, 6-1). For a byte from
// \t to \r, exactly one of two such sums has the bit.
func solid(x uint64) uint64 {
	low := x & lows
	return ((low ^ ' '*ones) + lows) ^ (low + (0x80-'\t')*ones) ^ (low + (0x80-'\r'-1)*ones) | x
}

// prints sets the highest bit of each printable byte of x, if that bit of x is clear. Its other bits are undefined.
func prints(x uint64) uint64 {
	low := x & lows
	return (low + (0x80-'!')*ones) ^ (low + ones)
}

// swar counts 64 bytes at a time. The mask of eight words has an order that is cheap to compute: bit 8j+k stands for
// byte j of word k. If all bytes are separators or printable, both rules count the solid bytes that follow a separator.
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
		// The predecessor of byte j is byte j-1, eight bits lower; that of byte 0 is byte 7 of the previous word.
		before := mask<<8 | mask>>55&0xfe | t.carry()
		t.words += bits.OnesCount64(mask &^ before)
		t.inside = int64(mask) < 0
	}
	return r.simplest(t, p)
}

// inOrder counts any 64 bytes by the rule printing.
func inOrder(t tally, block []byte) tally {
	var separators, letters uint64
	for i := 0; i < 64; i += 8 {
		x := binary.LittleEndian.Uint64(block[i:])
		separators |= gather(^solid(x)) << i
		letters |= gather(prints(x)&^x) << i
	}
	return t.begin(separators, letters)
}

// gather returns the highest bits of the eight bytes as a byte, in order.
func gather(x uint64) uint64 { return x & highs * (0x0102040810204080 >> 7) >> 56 }
