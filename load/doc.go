// Package load holds the load loops: who sends the requests of a stream, and when. Its API is not stable yet,
// unlike that of package lab. They are env programs, so that every world runs the same loops.
//
// [Closed] is a fixed number of callers, each of whom waits for its answer. [Open] is customers who
// come when they come ([Arrivals]), whether or not the design keeps up.
package load

import "github.com/brewput/brewput/env"

// Operation serves one request of a stream.
type Operation func(e env.Env, request uint64)
