//go:build goexperiment.simd

package words

import "simd/archsimd"

// vectors returns the additional scans of this build, if the CPU supports them.
func vectors(r rule) map[string]scan {
	if !archsimd.X86.AVX2() {
		return nil
	}
	return map[string]scan{"simd": r.simd}
}
