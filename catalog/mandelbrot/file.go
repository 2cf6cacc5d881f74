package mandelbrot

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
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

// file is a PNG (ISO/IEC 15948) that is made block by block. The pixels are one zlib stream (RFC 1950), whose compressed data
// (RFC 1951) are those of the blocks, one behind the other: each refers to nothing before it and ends at a whole byte. So
// blocks can be compressed at the same time, and a compressor, which takes almost a megabyte, serves one after the other.
// What came before as a dictionary, as M. Adler's pigz has it, would save a per cent of the bytes and take a new
// compressor for each block, which costs more than half of the time of the second CPU. Each is a chunk of its own.
type file struct {
	width  int    // of the picture, as of its height
	gray   []byte // the pixels, row by row
	level  int    // of compression: 1 is fast, 9 is small
	bpp    int    // bytes of a pixel in the file: 1, or 3 equal ones
	blocks []rows
	raw    [][]byte // of each block: its filtered rows,
	sums   []uint32 // their Adler-32,
	chunks [][]byte // and its chunk
}

func newFile(gray []byte, width, bpp, level int, blocks []rows) *file {
	n := len(blocks)
	return &file{width: width, gray: gray, level: level, bpp: bpp, blocks: blocks, raw: make([][]byte, n), sums: make([]uint32, n), chunks: make([][]byte, n)}
}

// compress makes the chunk of block k, which must be filtered, by a compressor that nobody uses, or a new one if it is nil.
func (f *file) compress(k int, w *flate.Writer) *flate.Writer {
	b := new(bytes.Buffer)
	b.WriteString("\x00\x00\x00\x00IDAT")
	if k == 0 {
		b.WriteString("\x78\x9c") // zlib, a window of 32 KiB, the usual level
	}
	if w == nil {
		w, _ = flate.NewWriter(b, f.level) // an error only of another level
	} else {
		w.Reset(b)
	}
	w.Write(f.raw[k]) // the buffer takes all
	if k == len(f.blocks)-1 {
		w.Close()
	} else {
		w.Flush() // to a whole byte, by an empty stored block
	}
	f.sums[k] = adler32.Checksum(f.raw[k])
	f.chunks[k] = seal(b.Bytes())
	return w
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
	for k, raw := range f.raw {
		sum = combine(sum, f.sums[k], len(raw))
	}
	parts := [][]byte{[]byte("\x89PNG\r\n\x1a\n"), seal(header)}
	parts = append(parts, f.chunks...)
	parts = append(parts, seal(binary.BigEndian.AppendUint32([]byte("\x00\x00\x00\x00IDAT"), sum)), seal([]byte("\x00\x00\x00\x00IEND")))
	return bytes.Join(parts, nil)
}

// combine is the Adler-32 of two texts behind each other, of their own and the length of the second (RFC 1950, 8.2): the low
// half is 1 and the sum of the bytes, the high half the sum of all low halves, modulo the greatest prime below 65536.
func combine(first, second uint32, length int) uint32 {
	const prime = 65521
	n := uint64(length) % prime
	low := uint64(first&0xffff) + uint64(second&0xffff) + prime - 1
	high := uint64(first>>16) + uint64(second>>16) + n*uint64(first&0xffff) + prime - n
	return uint32(high%prime)<<16 | uint32(low%prime)
}
