//go:build !(goexperiment.simd && amd64)

package words

import "github.com/brewput/brewput/workload"

// simdDesigns are none in a program that is built without GOEXPERIMENT=simd.
func simdDesigns() []workload.Design { return nil }
