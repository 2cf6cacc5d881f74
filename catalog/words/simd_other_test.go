//go:build !(goexperiment.simd && amd64)

package words

// vectors returns no scans in this build.
func vectors(rule) map[string]scan { return nil }
