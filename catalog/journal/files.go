package journal

import (
	"errors"
	"fmt"
	"io"
)

// files are the files of a log, in a directory of their own. Tests replace them to inject errors and power losses.
type files interface {
	// create creates an empty file, which must not exist.
	create(name string) (file, error)

	// open opens a file. found is false if it does not exist.
	open(name string) (f file, found bool, err error)

	// rename replaces the file of the new name, if there is one.
	rename(from, to string) error

	// sync makes the names of the files survive power loss.
	sync() error
}

// file is an open file.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	size() (int64, error)
	truncate(size int64) error

	// sync makes the content and the size of the file survive power loss.
	sync() error
}

// newFile creates a file that begins with a header, and opens it if it exists. A crash leaves it with the whole header
// or without the name, because it is renamed when the header has reached the device.
func newFile(fs files, name, header string) (f file, err error) {
	f, found, err := fs.open(name)
	if err == nil && found {
		// A crash may have come between the rename and the sync of the name.
		if err = fs.sync(); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	if found || err != nil {
		return f, err
	}
	fresh := name + ".new"
	if f, found, err = fs.open(fresh); err == nil && !found {
		f, err = fs.create(fresh)
	}
	if err != nil {
		return nil, err
	}
	if err = f.truncate(0); err == nil {
		_, err = f.WriteAt([]byte(header), 0)
	}
	if err == nil {
		err = f.sync()
	}
	if err = errors.Join(err, f.Close()); err == nil { // some systems do not rename open files
		err = fs.rename(fresh, name)
	}
	if err == nil {
		err = fs.sync()
	}
	if err == nil {
		f, found, err = fs.open(name)
	}
	if err == nil && !found {
		err = fmt.Errorf("%s was removed after it was created", name)
	}
	return f, err
}

// cut removes what follows the last whole entry, and makes the rest survive power loss: what is read here may not have
// reached the device yet. It writes back the rest before the sync. After a sync that failed, the kernel keeps what did
// not reach the device in its cache, but no later sync writes it.
func cut(f file, end int64) error {
	size, err := f.size()
	if err == nil && size > end {
		err = f.truncate(end)
	}
	if err == nil {
		err = writeBack(f, end)
	}
	if err == nil {
		err = f.sync()
	}
	return err
}

// writeBack writes the bytes up to end as they are read.
func writeBack(f file, end int64) error {
	buf := make([]byte, min(end, 1<<16))
	for at := int64(0); at < end; at += int64(len(buf)) {
		buf = buf[:min(int64(len(buf)), end-at)]
		if _, err := f.ReadAt(buf, at); err != nil {
			return err
		}
		if _, err := f.WriteAt(buf, at); err != nil {
			return err
		}
	}
	return nil
}
