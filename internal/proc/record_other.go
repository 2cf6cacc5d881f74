//go:build !linux

package proc

import "os"

// Mark returns the environment variable of a work root, which only Linux reads.
func Mark(root string) string { return "BREWPUT_PLACE=" + root }

// Record does nothing: only Linux reports when a process started, which is needed because process IDs are
// reused.
func Record(string, *os.Process) error { return nil }

// EndRecorded is implemented on Linux only.
func EndRecorded(string) {}
