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

// The classes of bytes, as bits.
const (
	special   uint8 = 1 << iota // ends a run of text that needs no check
	nameByte                    // may be part of a name
	nameStart                   // ASCII character that may begin a name
	space
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
	errName broken = "no name where one must be"
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

// markup reads markup after its <. ended reports whether it ends the innermost element.
func (s *scanner) markup() (ended bool, err error) {
	switch s.peek() {
	case '/':
		s.pos++
		return true, s.endTag()
	case '?':
		s.pos++
		return false, s.instruction()
	case '!':
		s.pos++
		return false, s.declaration()
	}
	return s.startTag()
}

// peek returns the next byte, or 0 at the end of the document, which no caller expects.
func (s *scanner) peek() byte {
	if s.pos < len(s.doc) {
		return s.doc[s.pos]
	}
	return 0
}

// spaces skips white space.
func (s *scanner) spaces() {
	for s.pos < len(s.doc) && s.class[s.doc[s.pos]]&space != 0 {
		s.pos++
	}
}

// name reads a name with at most that number of colons.
func (s *scanner) name(colons int) (span, error) {
	from, ascii := s.pos, true
	for ; ; s.pos++ {
		if s.pos == len(s.doc) {
			return span{}, errEnd
		}
		c := s.doc[s.pos]
		if s.class[c]&nameByte == 0 {
			break
		}
		ascii = ascii && c < 0x80
		if c == ':' {
			colons--
		}
	}
	n := span{from, s.pos}
	switch {
	case from == s.pos || colons < 0:
		return n, errName
	case ascii && s.class[s.doc[from]]&nameStart != 0:
		return n, nil
	case ascii:
		return n, errName
	}
	if s.names == nil {
		s.names = newAlphabet()
	}
	if !s.names.isName(s.doc[from:s.pos]) {
		return n, errName
	}
	return n, nil
}

// startTag reads the rest of a start tag.
func (s *scanner) startTag() (ended bool, err error) {
	name, err := s.name(1)
	if err != nil {
		return false, err
	}
	for {
		s.spaces()
		switch s.peek() {
		case '>':
			s.pos++
			return false, s.begin(name)
		case '/':
			s.pos++
			if s.peek() != '>' {
				return false, errors.New("a / in a tag that no > follows")
			}
			s.pos++
			return true, s.begin(name)
		}
		if err := s.attribute(); err != nil {
			return false, err
		}
	}
}

// attribute reads an attribute and checks its syntax.
func (s *scanner) attribute() error {
	if _, err := s.name(1); err != nil {
		return err
	}
	s.spaces()
	if s.peek() != '=' {
		return errors.New("an attribute without =")
	}
	s.pos++
	s.spaces()
	quote := s.peek()
	if quote != '"' && quote != '\'' {
		return errors.New("an attribute's value without quotes")
	}
	s.pos++
	n := bytes.IndexByte(s.doc[s.pos:], quote)
	if n < 0 {
		return errEnd
	}
	data := s.doc[s.pos : s.pos+n]
	s.pos += n + 1
	if bytes.IndexByte(data, '<') >= 0 {
		return errors.New("a < in an attribute's value")
	}
	return s.check(data)
}

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

// endTag reads the rest of an end tag.
func (s *scanner) endTag() error {
	name, err := s.name(1)
	if err != nil {
		return err
	}
	s.spaces()
	if s.peek() != '>' {
		return errors.New("an end tag without >")
	}
	s.pos++
	if len(s.open) == 0 {
		return errors.New("an end tag without its start")
	}
	began := s.open[len(s.open)-1]
	if !bytes.Equal(s.doc[began.from:began.to], s.doc[name.from:name.to]) {
		return errors.New("an end tag of another element")
	}
	return nil
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
