//go:build goexperiment.simd

package words

import (
	"errors"
	"simd/archsimd"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// simdDesigns returns the designs that need GOEXPERIMENT=simd.
func simdDesigns() []workload.Design {
	return []workload.Design{
		{Name: "simd", Doc: "64 bytes at once in vector registers (GOEXPERIMENT=simd)", Uses: uses("chunk"),
			Job: newSIMD, Formula: copyAndScan("scan-simd")},
		{Name: "simd-chunks", Doc: "simd, in chunks on all CPUs (GOEXPERIMENT=simd)", Uses: uses("chunk"),
			Job: newSIMDChunks, Formula: shared("simd")},
		{Name: "simd-mmap", Doc: "simd, in chunks of the memory-mapped file (GOEXPERIMENT=simd)",
			Uses: uses("chunk"), Job: newSIMDMmap, Formula: shared("scan-simd")},
		{Name: "scan-simd", Doc: "simd on as many bytes, all in the CPU cache", Uses: uses("chunk"), Job: newScanSIMD,
			Expect: workload.Bound},
	}
}

// newSIMD reads a chunk at a time and scans 64 bytes at once, in two vector registers. Reading limits it.
func newSIMD(_ env.Env, p plan.Point) (workload.Job, error) {
	return vectorised(p, alone(func(in *input) (int, error) { return in.inOrder(in.rule.simd) }))
}

// newSIMDChunks is newChunks with vector instructions.
func newSIMDChunks(_ env.Env, p plan.Point) (workload.Job, error) {
	return vectorised(p, func(e env.Env, in *input) (int, error) { return in.chunked(e, in.rule.simd) })
}

// newSIMDMmap is newMmap with vector instructions.
func newSIMDMmap(_ env.Env, p plan.Point) (workload.Job, error) {
	return vectorised(p, func(e env.Env, in *input) (int, error) { return in.mapped(e, in.rule.simd) })
}

func newScanSIMD(_ env.Env, p plan.Point) (workload.Job, error) {
	return scanning(p, func(r rule) scan { return r.simd })
}

// vectorised is counting, with an error on CPUs that lack the instructions.
func vectorised(p plan.Point, count func(e env.Env, in *input) (int, error)) (workload.Job, error) {
	if !archsimd.X86.AVX2() {
		return workload.Job{}, errors.New("this CPU has no AVX2; leave the designs simd out")
	}
	return counting(p, count)
}

// simd counts 64 bytes at a time. It classifies a byte with a table of 16 entries, indexed by the lower half of the
// byte (Lemire and Keiser, Validating UTF-8 In Less Than One Instruction Per Byte, 2021). A byte is a separator if it
// equals its entry: space for 0, \t to \r for 9 to 13, and otherwise 0, which no byte with that index equals.
func (r rule) simd(t tally, p []byte) tally {
	table := archsimd.LoadUint8x32(&[32]uint8{
		' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', '\v', '\f', '\r', 0, 0,
		' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', '\v', '\f', '\r', 0, 0,
	})
	one, least := archsimd.BroadcastInt8x32(1), archsimd.BroadcastInt8x32('!')
	for ; len(p) >= 64; p = p[64:] {
		a, b := archsimd.LoadUint8x32((*[32]uint8)(p)), archsimd.LoadUint8x32((*[32]uint8)(p[32:]))
		x, y := a.AsInt8x32(), b.AsInt8x32()
		separators := uint64(table.PermuteOrZeroGrouped(x).Equal(a).ToBits()) | uint64(
			table.PermuteOrZeroGrouped(y).Equal(b).ToBits())<<32
		letters := ^separators
		if r == printing { // plus one, ! to ~ are above !, and bytes from 0x7f on are negative
			letters = uint64(x.Add(one).Greater(least).ToBits()) | uint64(y.Add(one).Greater(least).ToBits())<<32
		}
		t = t.begin(separators, letters)
	}
	archsimd.ClearAVXUpperBits()
	return r.simplest(t, p)
}
