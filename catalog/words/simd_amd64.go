//go:build goexperiment.simd

package words

import (
	"errors"
	"simd/archsimd"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// simdDesigns are those that a program built with GOEXPERIMENT=simd has besides.
func simdDesigns() []workload.Design {
	return []workload.Design{
		{Name: "simd", Doc: "64 bytes at once in vector registers (GOEXPERIMENT=simd)", Uses: uses("chunk"),
			Job: newSIMD, Formula: copyAndScan("scan-simd")},
		{Name: "simd-chunks", Doc: "simd, in chunks on all CPUs (GOEXPERIMENT=simd)", Uses: uses("chunk"),
			Job: newSIMDChunks, Formula: shared("simd")},
		{Name: "simd-mmap", Doc: "simd, in chunks of the file as the system maps it (GOEXPERIMENT=simd)",
			Uses: uses("chunk"), Job: newSIMDMmap, Formula: shared("scan-simd")},
		{Name: "scan-simd", Doc: "simd over as many bytes that lie in the cache", Uses: uses("chunk"), Job: newScanSIMD,
			Expect: workload.Bound},
	}
}

// newSIMD reads a buffer at a time and takes 64 bytes at once, in two vector registers. What limits it: reading.
func newSIMD(_ env.Env, p plan.Point) (workload.Job, error) {
	return vectorised(p, alone(func(in *input) (int, error) { return in.inOrder(in.rule.simd) }))
}

// newSIMDChunks scans as newChunks does, with vectors.
func newSIMDChunks(_ env.Env, p plan.Point) (workload.Job, error) {
	return vectorised(p, func(e env.Env, in *input) (int, error) { return in.chunked(e, in.rule.simd) })
}

// newSIMDMmap scans as newMmap does, with vectors.
func newSIMDMmap(_ env.Env, p plan.Point) (workload.Job, error) {
	return vectorised(p, func(e env.Env, in *input) (int, error) { return in.mapped(e, in.rule.simd) })
}

func newScanSIMD(_ env.Env, p plan.Point) (workload.Job, error) {
	return scanning(p, func(r rule) scan { return r.simd })
}

// vectorised is counting on CPUs that have the instructions.
func vectorised(p plan.Point, count func(e env.Env, in *input) (int, error)) (workload.Job, error) {
	if !archsimd.X86.AVX2() {
		return workload.Job{}, errors.New("this CPU has no AVX2; leave the designs simd out")
	}
	return counting(p, count)
}

// simd counts 64 bytes at a time. A byte is a separator if it is what a table of 16 has for its lower half: space for
// 0, the controls from \t to \r for 9 to 13, and for the rest 0, which no such byte is (Lemire and Keiser, Validating
// UTF-8 In Less Than One Instruction Per Byte, 2021, classify bytes so).
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
		if r == printing { // one more, ! to ~ are above !, and 0x7f and all beyond are negative
			letters = uint64(x.Add(one).Greater(least).ToBits()) | uint64(y.Add(one).Greater(least).ToBits())<<32
		}
		t = t.begin(separators, letters)
	}
	archsimd.ClearAVXUpperBits()
	return r.simplest(t, p)
}
