// Package self tells goroutines apart.
package self

import "runtime"

// ID is the number of the calling goroutine in a dump of stacks, which no other ever has; 0 if it cannot be read. It
// takes a microsecond, and more the deeper the stack.
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

// beforeID stands before the number of a goroutine in a dump of its stack.
const beforeID = "goroutine "
