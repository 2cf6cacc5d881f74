// Package load implements the load loops, which send the requests of a stream. They are programs against env, so that
// every world runs the same loops. Its API is not stable yet, unlike that of package lab.
//
// [Closed] is a fixed number of callers that each wait for their reply. [Open] is a stream of requests that arrive at
// given times ([Arrivals]), whether or not the design keeps up.
package load

import (
	"time"

	"github.com/brewput/brewput/env"
)

// Operation serves one request of a stream.
type Operation func(e env.Env, request uint64)

// Attempt serves one request of a stream and reports whether it succeeded.
type Attempt func(e env.Env, request uint64) (ok bool)

// Transmission serves one request of a stream whose requests leave this process, as Send of a workload's Stream does.
// It is called up to 1 ms before the request is to be sent.
type Transmission func(e env.Env, request uint64, at time.Duration) (sent, received time.Duration, ok bool)
