package find

import (
	"bytes"
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// text reads up to the next <. The end of the document is an error.
func (s *scanner) text() error {
	from, dirty := s.pos, false
	for {
		for s.pos < len(s.doc) && s.class[s.doc[s.pos]]&special == 0 {
			s.pos++
		}
		if s.pos == len(s.doc) {
			return errEnd
		}
		if s.doc[s.pos] == '<' {
			break
		}
		dirty = true
		s.pos++
	}
	data := s.doc[from:s.pos]
	if !dirty {
		s.take(from, s.pos)
		return nil
	}
	if bytes.Contains(data, []byte("]]>")) {
		return errors.New("a ]]> outside of CDATA")
	}
	if s.into == nil || len(s.open) != inField {
		return s.check(data)
	}
	if bytes.IndexByte(data, '&') < 0 && bytes.IndexByte(data, '\r') < 0 {
		s.take(from, s.pos)
		return s.check(data)
	}
	return s.copy(data, true)
}

// take appends a part of the document to the current value, if there is one. It does not copy the first part.
func (s *scanner) take(from, to int) {
	v := s.into
	if v == nil || len(s.open) != inField || from == to {
		return
	}
	if !v.own && v.from == v.to {
		v.span = span{from, to}
		return
	}
	s.own()
	s.copied = append(s.copied, s.doc[from:to]...)
	v.to = len(s.copied)
}

// own copies the current value to the scanner's memory, unless that has been done.
func (s *scanner) own() {
	v := s.into
	if v.own {
		return
	}
	at := len(s.copied)
	s.copied = append(s.copied, s.doc[v.from:v.to]...)
	*v = value{span{at, len(s.copied)}, true}
}

// copy appends data to the current value. It replaces entities, if asked to, and makes line ends \n.
func (s *scanner) copy(data []byte, entities bool) error {
	s.own()
	for i := 0; i < len(data); {
		c := data[i]
		switch {
		case c == '&' && entities:
			r, n, err := entity(data[i:])
			if err != nil {
				return err
			}
			s.copied = utf8.AppendRune(s.copied, r)
			i += n
			continue
		case c == '\r':
			s.copied = append(s.copied, '\n')
			if i+1 < len(data) && data[i+1] == '\n' {
				i++
			}
		default:
			s.copied = append(s.copied, c)
		}
		i++
	}
	s.into.to = len(s.copied)
	return characters(data)
}

// check returns an error if text has invalid characters or entities.
func (s *scanner) check(data []byte) error {
	for rest := data; ; {
		i := bytes.IndexByte(rest, '&')
		if i < 0 {
			return characters(data)
		}
		_, n, err := entity(rest[i:])
		if err != nil {
			return err
		}
		rest = rest[i+n:]
	}
}

// entity reads the entity at the beginning of data and returns its character and length.
func entity(data []byte) (r rune, n int, err error) {
	end := bytes.IndexByte(data, ';')
	if end < 0 {
		return 0, 0, errors.New("a & without ;")
	}
	switch name := string(data[1:end]); name {
	case "lt":
		r = '<'
	case "gt":
		r = '>'
	case "amp":
		r = '&'
	case "apos":
		r = '\''
	case "quot":
		r = '"'
	default:
		digits, ok := strings.CutPrefix(name, "#")
		base := 10
		if hex, is := strings.CutPrefix(digits, "x"); is {
			digits, base = hex, 16
		}
		code, err := strconv.ParseUint(digits, base, 64)
		if !ok || err != nil || code > utf8.MaxRune {
			return 0, 0, errors.New("an unknown entity: &" + name + ";")
		}
		if r = rune(code); !utf8.ValidRune(r) {
			r = utf8.RuneError
		}
		if !legal(r) {
			return 0, 0, errors.New("an entity of a character that XML does not allow: &" + name + ";")
		}
	}
	return r, end + 1, nil
}

// characters returns an error if data is not UTF-8, or has a character that XML does not permit.
func characters(data []byte) error {
	for i := 0; i < len(data); {
		c := data[i]
		if ' ' <= c && c < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return errors.New("a byte that is not UTF-8")
		}
		if !legal(r) {
			return errors.New("a character that XML does not allow")
		}
		i += n
	}
	return nil
}

// legal reports whether XML permits a character (XML 1.0, production 2). Surrogates cannot occur in UTF-8.
func legal(r rune) bool {
	return r >= ' ' && r != 0xFFFE && r != 0xFFFF || r == '\t' || r == '\n' || r == '\r'
}

// instruction reads the rest of a processing instruction.
func (s *scanner) instruction() error {
	target, err := s.name(math.MaxInt)
	if err != nil {
		return err
	}
	s.spaces()
	n := bytes.Index(s.doc[s.pos:], []byte("?>"))
	if n < 0 {
		return errEnd
	}
	data := s.doc[s.pos : s.pos+n]
	s.pos += n + 2
	if string(s.doc[target.from:target.to]) != "xml" {
		return nil
	}
	if v := parameter("version=", data); len(v) > 0 && string(v) != "1.0" {
		return errors.New("a version other than 1.0")
	}
	if e := parameter("encoding=", data); len(e) > 0 && !strings.EqualFold(string(e), "utf-8") {
		return errors.New("an encoding other than UTF-8")
	}
	return nil
}

// parameter returns the quoted text after the first occurrence of name that a quote follows, or nil. This is how
// encoding/xml reads an XML declaration. The rules of XML are stricter.
func parameter(name string, data []byte) []byte {
	for {
		k := bytes.Index(data, []byte(name))
		if k < 0 || k+len(name) >= len(data) {
			return nil
		}
		quote := data[k+len(name)]
		data = data[k+len(name)+1:]
		if quote != '\'' && quote != '"' {
			continue
		}
		if j := bytes.IndexByte(data, quote); j >= 0 {
			return data[:j]
		}
		return nil
	}
}

// declaration reads the rest of markup that begins with <!: a comment, CDATA, or a document type declaration.
func (s *scanner) declaration() error {
	rest := s.doc[s.pos:]
	switch {
	case bytes.HasPrefix(rest, []byte("--")):
		s.pos += 2
		n := bytes.Index(s.doc[s.pos:], []byte("--"))
		if n < 0 {
			return errEnd
		}
		s.pos += n + 2
		if s.peek() != '>' {
			return errors.New("a -- in a comment")
		}
		s.pos++
		return nil
	case bytes.HasPrefix(rest, []byte("[CDATA[")):
		return s.cdata()
	case len(rest) == 0:
		return errEnd
	case rest[0] == '-' || rest[0] == '[':
		return errors.New("neither a comment nor CDATA")
	}
	s.pos++ // the kind of declaration does not matter
	return s.doctype()
}

// cdata reads the rest of a CDATA section.
func (s *scanner) cdata() error {
	s.pos += len("[CDATA[")
	n := bytes.Index(s.doc[s.pos:], []byte("]]>"))
	if n < 0 {
		return errEnd
	}
	from, to := s.pos, s.pos+n
	s.pos = to + 3
	data := s.doc[from:to]
	if s.into == nil || len(s.open) != inField || bytes.IndexByte(data, '\r') < 0 {
		s.take(from, to)
		return characters(data)
	}
	return s.copy(data, false)
}

// doctype reads up to the > that ends a declaration. Brackets in quotes and in comments do not count for nesting.
func (s *scanner) doctype() error {
	depth, quote := 0, byte(0)
	for s.pos < len(s.doc) {
		c := s.doc[s.pos]
		s.pos++
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>' && depth == 0:
			return nil
		case c == '>':
			depth--
		case c == '<' && bytes.HasPrefix(s.doc[s.pos:], []byte("!--")):
			s.pos += 3
			n := bytes.Index(s.doc[s.pos:], []byte("-->"))
			if n < 0 {
				return errEnd
			}
			s.pos += n + 3
		case c == '<':
			depth++
		}
	}
	return errEnd
}
