package mandelbrot

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
	"io"
	"slices"
)

// rows are the rows of a picture from first up to before end.
type rows struct{ first, end int }

// blocksOf divides n rows into blocks of so many.
func blocksOf(n, each int) (blocks []rows) {
	for first := 0; first < n; first += each {
		blocks = append(blocks, rows{first, min(first+each, n)})
	}
	return blocks
}

// file is a PNG (ISO/IEC 15948) that is made block by block. The pixels are one zlib stream (RFC 1950), whose
// compressed data (RFC 1951) are those of the blocks, one behind the other: each refers to nothing before it and ends
// at a whole byte. So blocks can be compressed at the same time, and a compressor, which takes almost a megabyte,
// serves one after the other. What came before as a dictionary, as M. Adler's pigz has it, would save a per cent of the
// bytes and take a new compressor for each block, which costs more than half of the time of the second CPU. Each is a
// chunk of its own.
type file struct {
	width  int    // of the picture, as of its height
	gray   []byte // the pixels, row by row
	level  int    // of compression: 1 is fast, 9 is small
	bpp    int    // bytes of a pixel in the file: 1, or 3 equal ones
	blocks []rows
	sums   []uint32 // of each block: the Adler-32 of its filtered rows
	chunks [][]byte // and its chunk
}

func newFile(gray []byte, width, bpp, level int, blocks []rows) *file {
	n := len(blocks)
	return &file{width: width, gray: gray, level: level, bpp: bpp, blocks: blocks, sums: make([]uint32, n),
		chunks: make([][]byte, n)}
}

// compressor is what chunks are made with, one after the other.
type compressor struct {
	row   []byte // a filtered one, behind the number of its filter
	chunk bytes.Buffer
	w     *flate.Writer
}

// newCompressor asks for the memory of a compressor and touches most of it. Where two CPUs touch new pages at once they
// wait for each other in the system: on a virtual machine ten times as long as one that is alone.
func (f *file) newCompressor() *compressor {
	c := &compressor{row: make([]byte, 1+f.width*f.bpp)}
	n := f.filtered(f.blocks[0]) / 4 // more than most chunks take
	c.chunk.Grow(n)
	clear(c.chunk.AvailableBuffer()[:n])
	c.w, _ = flate.NewWriter(&c.chunk, f.level) // an error only of another level
	c.w.Reset(&c.chunk)                         // touches its tables, except at level 1
	return c
}

// compress makes the chunk of block k.
func (f *file) compress(k int, c *compressor) {
	c.chunk.Reset()
	c.chunk.WriteString("\x00\x00\x00\x00IDAT")
	if k == 0 {
		c.chunk.WriteString("\x78\x9c") // zlib, a window of 32 KiB, the usual level
	}
	c.w.Reset(&c.chunk) // the buffer takes all that is written
	sum := adler32.New()
	f.filter(k, c, io.MultiWriter(c.w, sum))
	if k == len(f.blocks)-1 {
		c.w.Close()
	} else {
		c.w.Flush() // to a whole byte, by an empty stored block
	}
	f.sums[k] = sum.Sum32()
	f.chunks[k] = slices.Clone(seal(c.chunk.Bytes()))
}

// seal completes a chunk, of which the type and the data are there behind room for the length.
func seal(chunk []byte) []byte {
	binary.BigEndian.PutUint32(chunk, uint32(len(chunk)-8))
	return binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
}

// join is the whole file, when all blocks are compressed.
func (f *file) join() []byte {
	header := []byte("\x00\x00\x00\x00IHDR")
	header = binary.BigEndian.AppendUint32(header, uint32(f.width))
	header = binary.BigEndian.AppendUint32(header, uint32(f.width))
	colours := byte(0) // gray
	if f.bpp == 3 {
		colours = 2 // red, green and blue
	}
	header = append(header, 8, colours, 0, 0, 0)
	sum := uint32(1)
	for k, b := range f.blocks {
		sum = combine(sum, f.sums[k], f.filtered(b))
	}
	parts := [][]byte{[]byte("\x89PNG\r\n\x1a\n"), seal(header)}
	parts = append(parts, f.chunks...)
	parts = append(parts, seal(binary.BigEndian.AppendUint32([]byte("\x00\x00\x00\x00IDAT"), sum)),
		seal([]byte("\x00\x00\x00\x00IEND")))
	return bytes.Join(parts, nil)
}

// combine is the Adler-32 of two texts behind each other, of their own and the length of the second (RFC 1950, 8.2):
// the low half is 1 and the sum of the bytes, the high half the sum of all low halves, modulo the greatest prime below
// 65536.
func combine(first, second uint32, length int) uint32 {
	const prime = 65521
	n := uint64(length) % prime
	low := uint64(first&0xffff) + uint64(second&0xffff) + prime - 1
	high := uint64(first>>16) + uint64(second>>16) + n*uint64(first&0xffff) + prime - n
	return uint32(high%prime)<<16 | uint32(low%prime)
}
