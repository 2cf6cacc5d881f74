//go:build !linux && !darwin

package calibrate

import "time"

// threadCPU is the CPU time of the calling thread. It is false where the system keeps none that is
// fine enough for a burn of a millisecond, as here: GetThreadTimes of Windows steps by 15.6 ms.
func threadCPU() (time.Duration, bool) { return 0, false }
