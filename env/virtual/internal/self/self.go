// Package self identifies goroutines and reads their states.
package self

import "runtime"

// ID returns the number of the calling goroutine in a stack dump, which is unique for all time; 0 if it cannot be
// read. It takes a microsecond, and more for a deeper stack.
func ID() int64 {
	id, dump := int64(0), make([]byte, len(beforeID)+20)
	for _, c := range dump[min(len(beforeID), runtime.Stack(dump, false)):] {
		if c < '0' || c > '9' {
			break
		}
		id = 10*id + int64(c-'0')
	}
	return id
}

// beforeID precedes the number of a goroutine in a dump of its stack.
const beforeID = "goroutine "
