package find

import (
	"bytes"
	"errors"
)

// The classes of bytes, as bits.
const (
	special   uint8 = 1 << iota // ends a run of text that needs no check
	nameByte                    // may be part of a name
	nameStart                   // ASCII character that may begin a name
	space
)

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
		return errors.New("an end tag of a different element")
	}
	return nil
}
