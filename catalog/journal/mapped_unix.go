//go:build unix

package journal

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// mappedFile maps segments of a file.
type mappedFile struct {
	f    *os.File
	size int64 // of a segment
	end  int64 // of the file; a crash may leave a part of a segment
	maps [][]byte

	// What grows the file, and the steps of a sync. Tests replace them.
	reserve  func(f *os.File, at, n int64) error
	msync    func(segment []byte) error
	dataSync func(*os.File) error
	dirSync  func() error
}

// openMapping opens or creates a file to map in segments.
func openMapping(dir, name string, size int64) (mapping, error) {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > 0 {
		err = checkStart(f)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &mappedFile{f: f, size: size, end: info.Size(), reserve: reserve, msync: msync, dataSync: dataSync,
		dirSync: disk(dir).sync}, nil
}

// checkStart returns an error if the file is not a log, before it grows to a whole segment.
func checkStart(f *os.File) error {
	first := make([]byte, mappedStart)
	if _, err := f.ReadAt(first, 0); err != nil && err != io.EOF {
		return err
	}
	return checkMapped(first)
}

func (m *mappedFile) count() int { return int((m.end + m.size - 1) / m.size) }

func (m *mappedFile) segment(i int) ([]byte, error) {
	at := int64(i) * m.size
	if n := at + m.size - m.end; n > 0 {
		// Without space on the device, a write to a mapped page would end the process.
		if err := m.reserve(m.f, m.end, n); err != nil {
			err = &os.PathError{Op: "reserve", Path: m.f.Name(), Err: err}
			// The log then opens without more space, on file systems that write in place.
			return nil, errors.Join(err, m.f.Truncate(m.end))
		}
		m.end += n
	}
	s, err := syscall.Mmap(int(m.f.Fd()), at, int(m.size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, &os.PathError{Op: "mmap", Path: m.f.Name(), Err: err}
	}
	m.maps = append(m.maps, s)
	return s, nil
}

func (m *mappedFile) cut(i int) (err error) {
	for _, s := range m.maps[i:] {
		err = errors.Join(err, syscall.Munmap(s))
	}
	m.maps, m.end = m.maps[:i], int64(i)*m.size
	return errors.Join(err, m.f.Truncate(m.end))
}

func (m *mappedFile) sync() error {
	for _, s := range m.maps {
		if err := m.msync(s); err != nil {
			return &os.PathError{Op: "msync", Path: m.f.Name(), Err: err}
		}
	}
	if err := m.dataSync(m.f); err != nil {
		return err
	}
	return m.dirSync()
}

// msync writes a mapped segment to the device.
func msync(segment []byte) error {
	return again(func() error { return unix.Msync(segment, unix.MS_SYNC) })
}

func (m *mappedFile) Close() (err error) {
	for _, s := range m.maps {
		err = errors.Join(err, syscall.Munmap(s))
	}
	return errors.Join(err, m.f.Close())
}
