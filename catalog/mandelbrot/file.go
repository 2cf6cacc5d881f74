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

// rows are the rows of a picture from first to end-1.
type rows struct{ first, end int }

// blocksOf divides n rows into blocks of that many rows.
func blocksOf(n, each int) (blocks []rows) {
	for first := 0; first < n; first += each {
		blocks = append(blocks, rows{first, min(first+each, n)})
	}
	return blocks
}

// file is a PNG (ISO/IEC 15948) whose blocks of rows are compressed independently, so in parallel.
//
// The pixels are one zlib stream (RFC 1950). Its compressed data (RFC 1951) is the concatenation of those of the
// blocks: each refers to nothing before it and ends at a whole byte. Each block is a chunk of its own. A compressor
// takes almost a megabyte and is reused. M. Adler's pigz uses the data before a block as a dictionary. That would save
// a percent of the bytes, but needs a new compressor for each block, which costs more than half of the time of a second
// CPU.
type file struct {
	width  int    // of the picture in pixels, which is also its height
	gray   []byte // the pixels, row by row
	level  int    // of compression: 1 is fastest, 9 is smallest
	bpp    int    // bytes per pixel in the file: 1, or 3 equal ones
	blocks []rows
	sums   []uint32 // Adler-32 of the filtered rows of each block
	chunks [][]byte // the chunk of each block
}

func newFile(gray []byte, width, bpp, level int, blocks []rows) *file {
	n := len(blocks)
	return &file{width: width, gray: gray, level: level, bpp: bpp, blocks: blocks, sums: make([]uint32, n),
		chunks: make([][]byte, n)}
}

// compressor makes chunks, one at a time.
type compressor struct {
	row   []byte // a filtered row, after the number of its filter
	chunk bytes.Buffer
	w     *flate.Writer
}

// newCompressor allocates a compressor and touches most of its memory. Two CPUs that touch new pages at the same time
// wait for each other in the kernel; on a virtual machine that takes ten times as long.
func (f *file) newCompressor() *compressor {
	c := &compressor{row: make([]byte, 1+f.width*f.bpp)}
	n := f.filtered(f.blocks[0]) / 4 // enough for most chunks
	c.chunk.Grow(n)
	clear(c.chunk.AvailableBuffer()[:n])
	c.w, _ = flate.NewWriter(&c.chunk, f.level) // only an invalid level is an error
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
	c.w.Reset(&c.chunk) // writes to a buffer do not fail
	sum := adler32.New()
	f.filter(k, c, io.MultiWriter(c.w, sum))
	if k == len(f.blocks)-1 {
		c.w.Close()
	} else {
		c.w.Flush() // an empty stored block ends at a whole byte
	}
	f.sums[k] = sum.Sum32()
	f.chunks[k] = slices.Clone(seal(c.chunk.Bytes()))
}

// seal completes a chunk, which has its type and data after four bytes for the length.
func seal(chunk []byte) []byte {
	binary.BigEndian.PutUint32(chunk, uint32(len(chunk)-8))
	return binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
}

// join returns the whole file. All blocks must have been compressed.
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

// combine returns the Adler-32 of the concatenation of two texts, from their own and the length of the second (RFC
// 1950, 8.2). The low half of an Adler-32 is 1 plus the sum of the bytes, and the high half is the sum of all low
// halves, modulo the largest prime below 65536.
func combine(first, second uint32, length int) uint32 {
	const prime = 65521
	n := uint64(length) % prime
	low := uint64(first&0xffff) + uint64(second&0xffff) + prime - 1
	high := uint64(first>>16) + uint64(second>>16) + n*uint64(first&0xffff) + prime - n
	return uint32(high%prime)<<16 | uint32(low%prime)
}
