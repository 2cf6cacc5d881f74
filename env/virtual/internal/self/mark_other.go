//go:build !amd64 && !arm64

package self

// Mark identifies a goroutine among those that live at the same time. A goroutine that starts later may get the mark
// of one that has ended. The zero Mark is that of no goroutine.
type Mark struct{ id int64 }

// Current returns the mark of the calling goroutine. It takes as long as ID.
func Current() Mark { return Mark{ID()} }

// OnStack may report false where [Mark.Mine] reports true. Here it always does.
func (m Mark) OnStack() bool { return false }

// Mine reports whether m is the mark of the calling goroutine. It takes as long as ID.
func (m Mark) Mine() bool { return m == Current() }
