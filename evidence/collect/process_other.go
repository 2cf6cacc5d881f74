//go:build !linux

package collect

import (
	"os"
	"time"
)

// beforeReaping is for Linux: other systems do not count system calls.
func beforeReaping(int) (ioCounts, time.Duration) { return unknownIO(), 0 }

func contextSwitches(*os.ProcessState) (voluntary, involuntary int64) { return 0, 0 }
