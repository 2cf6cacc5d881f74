package host

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Resident returns the resident memory of a process in bytes; false if the system does not report it, or if the
// process has ended.
func Resident(pid int) (bytes uint64, ok bool) {
	root := systemRoot()
	if root == nil {
		return 0, false
	}
	line, ok := text(root, fmt.Sprintf("proc/%d/statm", pid))
	if !ok {
		return 0, false
	}
	fields := strings.Fields(line)
	if len(fields) < 2 {
		return 0, false
	}
	pages, err := strconv.ParseUint(fields[1], 10, 64)
	return pages * uint64(os.Getpagesize()), err == nil
}

// PeakResident returns the peak of this process's resident memory so far, in bytes; false if the system does not
// report it. Linux counts it in the peak of every program that this process starts.
func PeakResident() (bytes uint64, ok bool) {
	root := systemRoot()
	if root == nil {
		return 0, false
	}
	status, ok := text(root, "proc/self/status")
	if !ok {
		return 0, false
	}
	kb, ok := parseKeyed(status, "VmHWM")
	return kb * 1024, ok
}
