//go:build !(goexperiment.simd && amd64)

package words

// vectors are none in this build.
func vectors(rule) map[string]scan { return nil }
