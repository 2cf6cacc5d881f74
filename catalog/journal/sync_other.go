//go:build !linux

package journal

import "os"

// dataSync makes the content and the size of a file survive power loss.
func dataSync(f *os.File) error { return f.Sync() }

// reserve allocates space for n more bytes, which are zeros.
func reserve(f *os.File, at, n int64) error { return writeZeros(f, at, n) }
