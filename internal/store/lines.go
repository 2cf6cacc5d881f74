package store

import (
	"bufio"
	"fmt"
	"io"
)

// lines reads a file line by line.
type lines struct {
	in     *bufio.Reader
	line   []byte
	number int   // of the last line read, from 1
	offset int64 // bytes read
}

func newLines(r io.Reader) *lines { return &lines{in: bufio.NewReaderSize(r, 64<<10)} }

// next returns the next line, with its newline if it has one, or io.EOF. The line is valid until the next call.
func (l *lines) next() ([]byte, error) {
	l.line = l.line[:0]
	l.number++
	for {
		part, err := l.in.ReadSlice('\n')
		l.line = append(l.line, part...)
		l.offset += int64(len(part))
		switch {
		case len(l.line) > maxLine:
			return nil, fmt.Errorf("the line is longer than %d bytes", maxLine)
		case err == bufio.ErrBufferFull:
		case err == io.EOF && len(l.line) > 0:
			return l.line, nil
		case err != nil:
			return nil, err
		default:
			return l.line, nil
		}
	}
}

// more reports whether another line follows.
func (l *lines) more() bool {
	_, err := l.in.Peek(1)
	return err != io.EOF
}

// isWhole reports whether a line ends with its newline.
func isWhole(line []byte) bool { return len(line) > 0 && line[len(line)-1] == '\n' }
