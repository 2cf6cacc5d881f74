//go:build !unix

package costs

import "github.com/brewput/brewput/env"

// emptySyscall is nil: the cost of a system call stays a typical one here.
func emptySyscall() func(env.Env) { return nil }
