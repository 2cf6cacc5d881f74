//go:build !unix

package known

import "time"

// cpuTime returns 0, because the CPU time of this process is unknown.
func cpuTime() time.Duration { return 0 }
