// Package input reads untrusted input: files that the user or another program names, pipes, standard input, and
// responses of servers. It opens only regular files, limits the number of bytes and the length of lines, and
// stops at an interrupt.
//
// A path may name anything: a FIFO without a writer, a device without end, a file that grows. [Open] therefore
// opens without waiting, checks what it opened, and refuses everything but regular files. The only exceptions
// are pipes that this process inherited, such as /dev/fd/63 of a shell's <(command). Open copies them to a
// temporary file, up to the limit.
package input

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrRefused means that an input is not a regular file, or exceeds a limit. Every such error names the input,
// and what to do.
var ErrRefused = errors.New("input refused")

// refusal is an error that matches ErrRefused.
type refusal string

func (r refusal) Error() string { return string(r) }

// Is makes errors.Is(err, ErrRefused) true.
func (refusal) Is(target error) bool { return target == ErrRefused }

// Refuse returns an error that matches [ErrRefused]. Its text must name the input, the problem, and what to do.
func Refuse(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

// maxPipe is the number of bytes of a pipe that Open copies to a temporary file, if the kind allows that
// many.
const maxPipe = 1 << 30

// File is an open input. Read is sequential, stops at an interrupt and enforces the limits. ReadAt reads
// anywhere within the size that the file had when it was opened. Only ReadAt is safe for concurrent use.
type File struct {
	name string
	kind Kind
	size int64
	file *os.File
	in   *Reader
	ctx  context.Context
}

// Open opens a file of a kind and follows symbolic links. It never waits for a writer. ctx ends Open and each
// Read of the file.
func Open(ctx context.Context, path string, kind Kind) (*File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, err := openNow(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}

	switch {
	case info.Mode().IsRegular():
	case info.Mode()&fs.ModeNamedPipe != 0 && inherited(path):
		copied, err := spool(ctx, f, path, kind)
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		if info, err = copied.Stat(); err != nil {
			return nil, errors.Join(err, copied.Close())
		}
		f = copied
	default:
		f.Close()
		return nil, Refuse("%s is %s, and not a regular file: %s", path, fileType(info.Mode()), advice(info.Mode()))
	}

	if l := kind.limits(); info.Size() > l.bytes {
		f.Close()
		return nil, tooLarge(path, l)
	}
	in := newReader(ctx, f, path, kind, true)
	return &File{name: path, kind: kind, size: info.Size(), file: f, in: in, ctx: ctx}, nil
}

// Read reads the next bytes. Its errors are those of [Reader.Read].
func (f *File) Read(p []byte) (int, error) { return f.in.Read(p) }

// ReadAt reads from an offset, as io.ReaderAt does.
func (f *File) ReadAt(p []byte, at int64) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	return f.file.ReadAt(p, at)
}

// Size returns the number of bytes when the file was opened.
func (f *File) Size() int64 { return f.size }

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }

// ReadFile reads a whole file of a kind. It uses as much memory as the file has bytes, at most the limit of the
// kind.
func ReadFile(ctx context.Context, path string, kind Kind) ([]byte, error) {
	f, err := Open(ctx, path, kind)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return all(f, f.size)
}

// ReadAll reads from in until it ends, its limit is reached, or ctx is cancelled. Errors use name for in.
func ReadAll(ctx context.Context, in io.Reader, name string, kind Kind) ([]byte, error) {
	return all(NewReader(ctx, in, name, kind), 0)
}

// Copy copies in to out until in ends, its limit is reached, or ctx is cancelled. It returns the number of
// bytes.
func Copy(ctx context.Context, out io.Writer, in io.Reader, name string, kind Kind) (int64, error) {
	return io.Copy(out, NewReader(ctx, in, name, kind))
}

// all reads everything; expected is the expected number of bytes.
func all(in io.Reader, expected int64) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(int(min(expected, 1<<20)) + bytes.MinRead)
	_, err := b.ReadFrom(in)
	return b.Bytes(), err
}

// spool copies a pipe to an unlinked temporary file.
func spool(ctx context.Context, in *os.File, name string, kind Kind) (*os.File, error) {
	out, err := os.CreateTemp("", "brewput-pipe-")
	if err != nil {
		return nil, fmt.Errorf("%s is a pipe, and there is no place for a copy: %w", name, err)
	}
	os.Remove(out.Name()) // Windows has no such pipes, and keeps the file
	r := newReader(ctx, in, name, kind, false)
	r.limits.bytes = min(r.limits.bytes, maxPipe)
	_, err = io.Copy(out, r)
	if err == nil {
		_, err = out.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, out.Close())
	}
	return out, nil
}

// inherited reports whether a path names a file descriptor of this process. The process that started it meant
// it to read such a pipe.
func inherited(path string) bool {
	path = filepath.ToSlash(filepath.Clean(path))
	return path == "/dev/stdin" || strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/self/fd/")
}

// fileType names the type of a file that is not regular.
func fileType(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "a special file"
}

// advice says what to do instead of giving such a file.
func advice(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "name a file in it"
	case mode&fs.ModeNamedPipe != 0:
		return "copy what comes through it to a file first, or use your shell's <(command)"
	}
	return "copy what is needed of it to a file first"
}
