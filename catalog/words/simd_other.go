//go:build !(goexperiment.simd && amd64)

package words

import "github.com/brewput/brewput/workload"

// simdDesigns returns nil, because the program was built without GOEXPERIMENT=simd.
func simdDesigns() []workload.Design { return nil }
