//go:build !unix

package journal

import (
	"errors"
	"fmt"
)

// openMapping is not implemented for this system.
func openMapping(_, _ string, _ int64) (mapping, error) {
	return nil, fmt.Errorf("memory-mapped files: %w; use another design", errors.ErrUnsupported)
}
