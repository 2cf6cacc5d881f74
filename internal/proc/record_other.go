//go:build !linux

package proc

import "os"

// Mark is of use on Linux.
func Mark(place string) string { return "BREWPUT_PLACE=" + place }

// Record is for Linux: other systems do not say when a process started, and numbers of processes are used again.
func Record(string, *os.Process) error { return nil }

// EndRecorded is for Linux.
func EndRecorded(string) {}
