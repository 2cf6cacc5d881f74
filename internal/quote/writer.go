package quote

import (
	"io"
	"unicode/utf8"
)

// Writer writes text to a terminal and quotes it as Lines does. It is for text that holds no escape sequence of the
// program's own. It is not safe for several goroutines at once.
type Writer struct {
	w    io.Writer
	tail []byte // the beginning of a rune that the next Write may end
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Unwrap returns the writer below, for text that is quoted already and holds escape sequences of the program's own.
func (q *Writer) Unwrap() io.Writer { return q.w }

// Write quotes p and writes it. It keeps back a rune that p begins and does not end.
func (q *Writer) Write(p []byte) (int, error) {
	text := append(q.tail, p...)
	whole := len(text) - begun(text)
	q.tail = append([]byte(nil), text[whole:]...)
	if whole == 0 {
		return len(p), nil
	}
	if _, err := io.WriteString(q.w, Lines(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes what is kept back: the beginning of a rune that nothing ended.
func (q *Writer) Flush() error {
	if len(q.tail) == 0 {
		return nil
	}
	text := Lines(string(q.tail))
	q.tail = nil
	_, err := io.WriteString(q.w, text)
	return err
}

// begun is how many bytes at the end begin a rune that more bytes could end.
func begun(p []byte) int {
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
