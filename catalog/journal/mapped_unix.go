//go:build unix

package journal

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// mappedFile maps segments of a file.
type mappedFile struct {
	f    *os.File
	size int64 // of a segment
	n    int   // segments of the file
	maps [][]byte

	// The steps of a sync. Tests replace them.
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
	if err != nil {
		f.Close()
		return nil, err
	}
	m := &mappedFile{f: f, size: size, n: int(info.Size() / size), msync: msync, dataSync: dataSync,
		dirSync: disk(dir).sync}
	if part := info.Size() % size; part > 0 { // a crash may leave a part of a segment
		if err := reserve(f, info.Size(), size-part); err != nil {
			f.Close()
			return nil, &os.PathError{Op: "reserve", Path: f.Name(), Err: err}
		}
		m.n++
	}
	return m, nil
}

func (m *mappedFile) count() int { return m.n }

func (m *mappedFile) segment(i int) ([]byte, error) {
	at := int64(i) * m.size
	if i == m.n {
		// Without space on the device, a write to a mapped page would end the process.
		if err := reserve(m.f, at, m.size); err != nil {
			return nil, &os.PathError{Op: "reserve", Path: m.f.Name(), Err: err}
		}
		m.n++
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
	m.maps, m.n = m.maps[:i], i
	return errors.Join(err, m.f.Truncate(int64(i)*m.size))
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
