package sweep

import (
	"time"

	"github.com/brewput/brewput/result"
)

// Discard is a Store that keeps nothing, for callers that need only the trials returned by Execute.
type Discard struct{}

// Append implements Store.
func (Discard) Append(result.Trial, map[string][]byte) error { return nil }

// Failure implements Store.
func (Discard) Failure(int, int, string) (path string, err error) { return "", nil }

// EndBlock implements Store.
func (Discard) EndBlock(int, int, time.Duration) error { return nil }

// Interim implements Store.
func (Discard) Interim(any) error { return nil }

// End implements Store.
func (Discard) End() error { return nil }
