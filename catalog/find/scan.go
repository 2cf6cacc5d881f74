package find

import (
	"bytes"
	"errors"
	"fmt"
)

// scanner finds the items of a document. It finds the same items as encoding/xml does when it unmarshals rss > channel
// > item > title, description, and returns an error for the same documents.
//
// It makes no tokens, attributes and strings that are not needed. It examines each byte once, and copies only values
// that differ from the text of the document: those with entities, carriage returns or several parts. A scanner can be
// reused for many documents, and after some of them it allocates nothing. It is not safe for concurrent use.
type scanner struct {
	doc   []byte
	pos   int
	class [256]uint8
	names *alphabet // created for the first name that is not ASCII

	open               []span // names of the open elements, from the outermost on
	path               int    // number of these that match rss > channel > item > title or description
	into               *value // current value, to which text belongs if all open elements match
	title, description value
	copied             []byte // values that differ from the text of the document
}

// span is the range from..to-1 of bytes.
type span struct{ from, to int }

// value is a text: a span of the document, or of the scanner's memory.
type value struct {
	span
	own bool // in the scanner's memory
}

// The lengths of the path.
const (
	inChannel = 2
	inItem    = 3
	inField   = 4
)

func newScanner() *scanner {
	s := &scanner{}
	for i := range s.class {
		c := byte(i)
		switch {
		case c >= 0x80:
			s.class[c] = special | nameByte
		case 'a' <= c|0x20 && c|0x20 <= 'z', c == '_', c == ':':
			s.class[c] = nameByte | nameStart
		case '0' <= c && c <= '9', c == '.', c == '-':
			s.class[c] = nameByte
		case c == ' ', c == '\t', c == '\n':
			s.class[c] = space
		case c == '\r':
			s.class[c] = space | special
		case c == '&', c == ']', c == '<', c < ' ':
			s.class[c] = special
		}
	}
	return s
}

// broken is the error of an invalid document.
type broken string

func (b broken) Error() string { return string(b) }

const (
	errEnd  broken = "the document ends too early"
	errName broken = "a missing name"
)

// items calls visit for each item of the document, with slices that are valid until visit returns. After an error, the
// caller must discard the items so far.
func (s *scanner) items(doc []byte, visit func(title, description []byte)) error {
	s.doc, s.pos, s.open, s.path, s.into = doc, 0, s.open[:0], 0, nil
	for {
		if err := s.text(); err != nil {
			return s.at(err)
		}
		s.pos++ // <
		ended, err := s.markup()
		if err != nil {
			return s.at(err)
		}
		if !ended {
			continue
		}
		if item := s.end(); item {
			visit(s.bytes(s.title), s.bytes(s.description))
		}
		if len(s.open) == 0 {
			return nil
		}
	}
}

// at adds the position to an error.
func (s *scanner) at(err error) error { return fmt.Errorf("XML, byte %d: %w", s.pos, err) }

// begin opens an element.
func (s *scanner) begin(name span) error {
	if s.path == len(s.open) {
		if s.leads(s.local(name)) {
			s.path++
		} else if s.path == 0 {
			return errors.New("the outermost element is not rss")
		}
	}
	s.open = append(s.open, name)
	return nil
}

// leads reports whether an element with that name extends the path. It prepares the values of a new item or field.
func (s *scanner) leads(name []byte) bool {
	switch s.path {
	case 0:
		return string(name) == "rss"
	case 1:
		return string(name) == "channel"
	case inChannel:
		if string(name) != "item" {
			return false
		}
		s.title, s.description, s.copied = value{}, value{}, s.copied[:0]
		return true
	case inItem:
		switch string(name) {
		case "title":
			s.into = &s.title
		case "description":
			s.into = &s.description
		default:
			return false
		}
		*s.into = value{}
		return true
	}
	return false
}

// local returns a name without its namespace prefix.
func (s *scanner) local(name span) []byte {
	n := s.doc[name.from:name.to]
	if i := bytes.IndexByte(n, ':'); i > 0 && i < len(n)-1 {
		return n[i+1:]
	}
	return n
}

// end closes the innermost element, and reports whether it was an item.
func (s *scanner) end() (item bool) {
	s.open = s.open[:len(s.open)-1]
	if len(s.open) >= s.path {
		return false
	}
	s.path = len(s.open)
	s.into = nil
	return s.path == inItem-1
}

// bytes returns the text of a value.
func (s *scanner) bytes(v value) []byte {
	if v.own {
		return s.copied[v.from:v.to]
	}
	return s.doc[v.from:v.to]
}
