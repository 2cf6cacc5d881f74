package evidence

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// mostInput is the size of standard input beyond which it is not copied for the runs.
const mostInput = 256 << 20

// Stdin makes a file of what the program is to read: a copy of in if that is a file or a pipe in which something comes, and
// nothing otherwise, which is said. The caller removes the file.
func Stdin(in *os.File, dir string) (path, remark string, err error) {
	info, err := in.Stat()
	if err != nil {
		return "", "", nil // it is closed
	}
	switch mode := info.Mode(); {
	case mode.IsRegular() && info.Size() == 0:
		return "", "", nil
	case mode&os.ModeCharDevice != 0:
		if null, err := os.Stat(os.DevNull); err == nil && os.SameFile(null, info) {
			return "", "", nil
		}
		return "", "the program reads nothing: standard input is a terminal; give it input with < FILE", nil
	case !mode.IsRegular() && mode&os.ModeNamedPipe == 0:
		return "", "the program reads nothing: standard input is neither a file nor a pipe", nil
	case !mode.IsRegular() && !ready(in):
		return "", "the program reads nothing: nothing came through the pipe of standard input within a second", nil
	}
	f, err := os.Create(filepath.Join(dir, "stdin"))
	if err != nil {
		return "", "", err
	}
	n, err := io.Copy(f, io.LimitReader(in, mostInput+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return "", "", fmt.Errorf("standard input cannot be copied for the runs: %w", err)
	}
	if n > mostInput {
		return "", "", fmt.Errorf("standard input has more than %d MB, which every run would read again: give the program the name of a file", mostInput>>20)
	}
	return f.Name(), "", nil
}

// ready reports whether something can be read, the end included, within a second.
func ready(in *os.File) bool {
	c, err := in.SyscallConn()
	if err != nil {
		return false
	}
	found := false
	err = c.Control(func(fd uintptr) { found = readable(fd, time.Second) })
	return err == nil && found
}
