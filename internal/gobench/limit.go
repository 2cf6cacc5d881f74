package gobench

import (
	"strconv"
	"strings"
)

// MemoryLimit converts a level of GOMEMLIMIT to bytes, or off; ok is false if the level is invalid.
func MemoryLimit(level string) (bytes string, ok bool) {
	if level == "off" {
		return level, true
	}
	number, shift := strings.TrimSuffix(level, "B"), 0
	for i, unit := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if rest, found := strings.CutSuffix(level, unit); found {
			number, shift = rest, 10*(i+1)
		}
	}
	n, err := strconv.ParseUint(number, 10, 63-shift)
	return strconv.FormatUint(n<<shift, 10), err == nil
}
