package sweep

import (
	"time"

	"github.com/brewput/brewput/result"
)

// Nowhere is a store that keeps nothing, for who wants no more than the trials that Execute returns.
type Nowhere struct{}

// Append implements Store.
func (Nowhere) Append(result.Trial, map[string][]byte) error { return nil }

// Failure implements Store.
func (Nowhere) Failure(int, int, string) (path string, err error) { return "", nil }

// EndBlock implements Store.
func (Nowhere) EndBlock(int, int, time.Duration) error { return nil }

// Look implements Store.
func (Nowhere) Look(any) error { return nil }

// End implements Store.
func (Nowhere) End() error { return nil }
