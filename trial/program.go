package trial

import (
	"fmt"
	"os"
	"runtime"
)

// runningFile is the file that this process executes, on Linux, also after another file got its path.
const runningFile = "/proc/self/exe"

// initial is the file of this program when the process began; nil on Linux, which does not need it.
var initial = initialFile()

func initialFile() os.FileInfo {
	if runtime.GOOS == "linux" {
		return nil
	}
	return statProgram()
}

// statProgram describes the file at the path of this program; nil if there is none.
func statProgram() os.FileInfo {
	exe, err := os.Executable()
	if err != nil {
		return nil
	}
	info, err := os.Stat(exe)
	if err != nil {
		return nil
	}
	return info
}

// programFile returns the path of the file that this process executes. All trials of a run must execute that file, even
// if a build has put another one at its path. On Linux it is there under a second path; elsewhere programFile returns
// an error then.
func programFile() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	found := statProgram()
	if runtime.GOOS == "linux" {
		running, err := os.Stat(runningFile)
		if err == nil && (found == nil || !os.SameFile(found, running)) {
			return runningFile, nil
		}
		return exe, nil
	}
	if initial != nil && !sameContent(initial, found) {
		return "", fmt.Errorf("%s has changed since this process began, so its trials must not be mixed with the "+
			"earlier ones; start a new run", exe)
	}
	return exe, nil
}

// sameContent reports whether two descriptions are of the same file, as far as they tell. The second may be nil.
func sameContent(a, b os.FileInfo) bool {
	return b != nil && os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
