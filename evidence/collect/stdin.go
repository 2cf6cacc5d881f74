package collect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/brewput/brewput/internal/input"
)

// copyStdin copies in to a file in dir, so that each run can read it. It copies a file, or a pipe in which data arrives
// within a second. Otherwise the path is empty, and remark says why the program reads nothing. ctx ends the copying.
// The caller removes the file.
func copyStdin(ctx context.Context, in *os.File, dir string) (path, remark string, err error) {
	info, err := in.Stat()
	if err != nil {
		return "", "", nil // standard input is closed
	}

	switch mode := info.Mode(); {
	case mode.IsRegular() && info.Size() == 0:
		return "", "", nil
	case mode&os.ModeCharDevice != 0:
		if null, err := os.Stat(os.DevNull); err == nil && os.SameFile(null, info) {
			return "", "", nil
		}
		return "", "the program's standard input is empty, because yours is a terminal; give input with < FILE", nil
	case !mode.IsRegular() && mode&os.ModeNamedPipe == 0:
		return "", "the program's standard input is empty, because yours is neither a file nor a pipe", nil
	case !mode.IsRegular() && !ready(in):
		return "", "the program's standard input is empty, because your pipe was empty for a second", nil
	}

	f, err := os.Create(filepath.Join(dir, "stdin"))
	if err != nil {
		return "", "", err
	}

	_, err = input.Copy(ctx, f, in, "standard input, which every run reads again,", input.Stdin)
	if err = errors.Join(err, f.Close()); ctx.Err() != nil {
		return "", "", ctx.Err()
	}
	if err != nil {
		return "", "", fmt.Errorf("standard input cannot be copied for the runs: %w", err)
	}

	return f.Name(), "", nil
}

// ready reports whether a read would not block, within a second.
func ready(in *os.File) bool {
	c, err := in.SyscallConn()
	if err != nil {
		return false
	}
	found := false
	err = c.Control(func(fd uintptr) { found = readable(fd, time.Second) })
	return err == nil && found
}

// CopyStdin makes the file that every run of a program reads, because reading a pipe or a file consumes it, and sets it
// in the options. A nil file is empty. The caller calls end after the last run.
func (o *Options) CopyStdin(ctx context.Context, in *os.File) (end func() error, err error) {
	if in == nil {
		return func() error { return nil }, nil
	}
	dir, err := newTempDir("stdin")
	if err != nil {
		return nil, err
	}

	remark := ""
	if o.Stdin, remark, err = copyStdin(ctx, in, dir.Path); err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	if remark != "" {
		o.progress(remark)
	}
	return dir.Close, nil
}
