//go:build !amd64 && !arm64

package self

// Mark is different for goroutines that live at the same time; one that begins later may have that of one that has
// ended. The zero Mark is nobody's.
type Mark struct{ id int64 }

// Current is the mark of the calling goroutine. It takes as long as ID.
func Current() Mark { return Mark{ID()} }

// Surely may say no where [Mark.Mine] says yes. Here it always does.
func (m Mark) Surely() bool { return false }

// Mine reports whether m is the mark of the calling goroutine. It takes as long as ID.
func (m Mark) Mine() bool { return m == Current() }
