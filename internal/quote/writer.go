package quote

import (
	"io"
	"unicode/utf8"
)

// Writer quotes text as Lines does and writes it to a terminal. The text must not contain the program's own
// escape sequences. A Writer is not safe for concurrent use.
type Writer struct {
	w    io.Writer
	tail []byte // incomplete rune, which the next Write may complete
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Unwrap returns the underlying writer, for text that is already quoted and contains the program's own escape
// sequences.
func (q *Writer) Unwrap() io.Writer { return q.w }

// Write quotes p and writes it. It holds back an incomplete rune at the end of p.
func (q *Writer) Write(p []byte) (int, error) {
	text := append(q.tail, p...)
	whole := len(text) - incomplete(text)
	q.tail = append([]byte(nil), text[whole:]...)
	if whole == 0 {
		return len(p), nil
	}
	if _, err := io.WriteString(q.w, Lines(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes an incomplete rune that was held back.
func (q *Writer) Flush() error {
	if len(q.tail) == 0 {
		return nil
	}
	text := Lines(string(q.tail))
	q.tail = nil
	_, err := io.WriteString(q.w, text)
	return err
}

// incomplete returns the number of bytes of an incomplete rune at the end of p.
func incomplete(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if last := p[len(p)-n:]; utf8.RuneStart(last[0]) {
			if last[0] >= utf8.RuneSelf && !utf8.FullRune(last) {
				return n
			}
			return 0
		}
	}
	return 0
}
