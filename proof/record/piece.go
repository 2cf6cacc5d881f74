package record

import (
	"fmt"
	"io"
	"time"
)

// Piece is one call of a campaign, which ends after a time limit; the next call continues. The zero value has no limit.
type Piece struct{ end time.Time }

// NewPiece starts a piece. A limit of 0 means no limit.
func NewPiece(limit time.Duration) Piece {
	if limit <= 0 {
		return Piece{}
	}
	return Piece{time.Now().Add(limit)}
}

// Over reports whether the time limit has passed.
func (p Piece) Over() bool { return !p.end.IsZero() && time.Now().After(p.end) }

// Remaining writes how many runs, comparisons or the like are left, if any, and what to do.
func Remaining(w io.Writer, left int, what string) {
	if left > 0 {
		fmt.Fprintf(w, "\n%d %s are left: run the same command again.\n", left, what)
	}
}
