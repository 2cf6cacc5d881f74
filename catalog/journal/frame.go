package journal

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
)

// A frame is an entry in a file: the number of bytes that follow (4 bytes, little endian), a checksum (4 bytes), and
// the data. The checksum is the CRC-32C of the number, the data and, before them, all previous frames. So a frame that
// is damaged, or left over from before, ends the log. An entry needs 8 bytes more than its data.
const (
	frameHead = 8
	sumBytes  = 4
)

// frameHeader begins a file of frames. A file without it is not a log, and must not be truncated.
const frameHeader = "brewput journal frames 1\n"

// chain continues the checksum from frame to frame.
type chain struct {
	table *crc32.Table
	sum   uint32 // of the last frame
}

func newChain() chain { return chain{table: crc32.MakeTable(crc32.Castagnoli)} }

// add appends the frame of an entry to buf.
func (c *chain) add(buf, data []byte) []byte {
	at := len(buf)
	buf = binary.LittleEndian.AppendUint32(buf, uint32(sumBytes+len(data)))
	buf = append(buf, 0, 0, 0, 0)
	buf = append(buf, data...)
	c.seal(buf[at:])
	return buf
}

// seal sets the checksum of a frame.
func (c *chain) seal(frame []byte) {
	c.sum = crc32.Update(c.sum, c.table, frame[:sumBytes])
	c.sum = crc32.Update(c.sum, c.table, frame[frameHead:])
	binary.LittleEndian.PutUint32(frame[sumBytes:], c.sum)
}

// dataBytes returns the size of the data of a frame by its first bytes. ok is false if no frame begins like that.
func dataBytes(head []byte) (size int, ok bool) {
	n := binary.LittleEndian.Uint32(head)
	return int(n) - sumBytes, n >= sumBytes && n <= sumBytes+MaxEntry
}

// next reports whether a whole frame is the next of the chain. If so it continues the chain.
func (c *chain) next(frame []byte) bool {
	sum := crc32.Update(c.sum, c.table, frame[:sumBytes])
	sum = crc32.Update(sum, c.table, frame[frameHead:])
	if sum != binary.LittleEndian.Uint32(frame[sumBytes:]) {
		return false
	}
	c.sum = sum
	return true
}

// frames is a file of frames. It is not safe for concurrent use.
type frames struct {
	f     file
	chain chain
	ends  []int64 // where the header and each entry end
}

// openFrames opens or creates a file of frames, and removes what follows the last whole frame.
func openFrames(fs files, name string) (*frames, error) {
	f, err := newFile(fs, name, frameHeader)
	if err != nil {
		return nil, err
	}
	s := &frames{f: f, chain: newChain()}
	if err = s.recover(name); err == nil {
		err = cut(f, s.end())
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

// recover reads all whole frames.
func (s *frames) recover(name string) error {
	size, err := s.f.size()
	if err != nil {
		return err
	}
	r := bufio.NewReaderSize(io.NewSectionReader(s.f, 0, size), 1<<16)
	head := make([]byte, len(frameHeader))
	if _, err := io.ReadFull(r, head); err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	if string(head) != frameHeader {
		return fmt.Errorf("%s is not a log: it does not begin with %q; nothing was changed", name, frameHeader)
	}
	s.ends = []int64{int64(len(frameHeader))}
	var frame []byte
	for {
		frame, err = readFrame(r, frame)
		if frame == nil || err != nil {
			return err
		}
		if !s.chain.next(frame) {
			return nil
		}
		s.ends = append(s.ends, s.end()+int64(len(frame)))
	}
}

// readFrame reads a frame, in buf if it fits. It returns nil at the end, and if no whole frame follows.
func readFrame(r io.Reader, buf []byte) ([]byte, error) {
	if cap(buf) < frameHead {
		buf = make([]byte, frameHead, 512)
	}
	buf = buf[:frameHead]
	_, err := io.ReadFull(r, buf)
	if err == nil {
		n, ok := dataBytes(buf)
		if !ok {
			return nil, nil
		}
		if cap(buf) < frameHead+n {
			buf = append(make([]byte, 0, frameHead+n), buf...)
		}
		buf = buf[:frameHead+n]
		_, err = io.ReadFull(r, buf[frameHead:])
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil, nil
	}
	return buf, err
}

// end returns where the last frame ends.
func (s *frames) end() int64 { return s.ends[len(s.ends)-1] }

// last returns the index of the last entry.
func (s *frames) last() uint64 { return uint64(len(s.ends) - 1) }

// find returns where the data of an entry is.
func (s *frames) find(index uint64) (at int64, size int, err error) {
	if index-1 >= s.last() {
		return 0, 0, notFound(index, int(s.last()))
	}
	at = s.ends[index-1] + frameHead
	return at, int(s.ends[index] - at), nil
}

// read reads the data of an entry.
func read(f file, at int64, size int) ([]byte, error) {
	data := make([]byte, size)
	if _, err := f.ReadAt(data, at); err != nil {
		return nil, err
	}
	return data, nil
}
