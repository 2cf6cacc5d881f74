package quote

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line quotes s for one line of a terminal: it escapes everything that is not printable, including line feeds
// and tabs.
func Line(s string) string { return Except(s, func(r rune) bool { return false }) }

// Lines quotes s for several lines of a terminal: unlike Line, it keeps line feeds and tabs.
func Lines(s string) string { return Except(s, func(r rune) bool { return r == '\n' || r == '\t' }) }

// Except escapes every rune that is neither printable nor kept.
func Except(s string, kept func(rune) bool) string {
	at := strings.IndexFunc(s, func(r rune) bool { return !Printable(r) && !kept(r) || r == utf8.RuneError })
	if at < 0 {
		return s
	}

	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:at])
	for at < len(s) {
		r, size := utf8.DecodeRuneInString(s[at:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[at])
		case Printable(r) || kept(r):
			b.WriteRune(r)
		default:
			escapeRune(&b, r)
		}
		at += size
	}
	return b.String()
}

// named are the escapes with a letter, such as \n.
var named = map[rune]string{'\a': `\a`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\v': `\v`}

func escapeRune(b *strings.Builder, r rune) {
	letter, ok := named[r]
	switch {
	case ok:
		b.WriteString(letter)
	case r < utf8.RuneSelf:
		fmt.Fprintf(b, `\x%02x`, r)
	case r <= 0xffff:
		fmt.Fprintf(b, `\u%04x`, r)
	default:
		fmt.Fprintf(b, `\U%08x`, r)
	}
}

// Printable reports whether a rune may be output as it is: it is visible or a plain space, and controls
// nothing. Combining marks are printable. Variation selectors and fillers, which are invisible, are not.
func Printable(r rune) bool {
	if r < utf8.RuneSelf {
		return ' ' <= r && r <= '~'
	}
	return unicode.IsPrint(r) && !unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}
