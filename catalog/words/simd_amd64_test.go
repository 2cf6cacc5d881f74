//go:build goexperiment.simd

package words

import "simd/archsimd"

// vectors are the scans that this build and this CPU have besides.
func vectors(r rule) map[string]scan {
	if !archsimd.X86.AVX2() {
		return nil
	}
	return map[string]scan{"simd": r.simd}
}
