//go:build !linux

package proc

import "os"

// adopt is implemented on Linux only.
func adopt() (release func()) { return func() {} }

// endOrphans ends what is left of the group of a child. Only Linux counts its CPU time.
func endOrphans(child *os.Process) Orphans {
	EndGroup(child)
	return Orphans{}
}
