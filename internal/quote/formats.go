package quote

import (
	"encoding/xml"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON escapes in encoded JSON what a terminal could act on or hide, as \uXXXX: it stays valid and its strings keep
// their values. Bytes that are no UTF-8, which are in none of them, become \ufffd.
func JSON(encoded []byte) []byte {
	var out []byte // nil as long as nothing is escaped
	for at := 0; at < len(encoded); {
		r, size := utf8.DecodeRune(encoded[at:])
		bad := r == utf8.RuneError && size == 1
		if bad || r > '~' && !Printable(r) {
			if out == nil {
				out = append(make([]byte, 0, len(encoded)+32), encoded[:at]...)
			}
			for _, unit := range utf16.AppendRune(nil, r) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
		} else if out != nil {
			out = append(out, encoded[at:at+size]...)
		}
		at += size
	}
	if out == nil {
		return encoded
	}
	return out
}

// XML is a text in XML and SVG, as Line writes it and with entities for markup. Unlike Line it is not idempotent.
func XML(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(Line(s))) // a Builder returns no error
	return b.String()
}

// CSV is a cell of text in CSV, as Line writes it, so that none begins with a tab or a carriage return. Text that a
// spreadsheet would take for a formula begins with an apostrophe, which spreadsheets hide (OWASP, CSV Injection).
// Numbers need no quoting: give texts only. encoding/csv adds quotation marks.
func CSV(s string) string {
	s = Line(s)
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, " "))
	if strings.ContainsRune("=+-@＝＋－＠", first) {
		return "'" + s
	}
	return s
}

// Word is one word of the Go benchmark format, such as a name or a unit, as Line writes it. It has no space, which
// would end it: %20 instead.
func Word(s string) string { return strings.ReplaceAll(Line(s), " ", "%20") }

// Key is a key of configuration in the Go benchmark format: it begins with a small letter and has neither capitals nor
// spaces nor a colon, which would end it.
func Key(s string) string {
	s = strings.NewReplacer(":", "%3a", " ", "%20").Replace(strings.ToLower(Line(s)))
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return "x" + s
	}
	return s
}

var (
	// intervals are brackets that hold numbers only, as in [1.97, 2.00]: no link, so that they stay readable.
	intervals = regexp.MustCompile(`\[[-+0-9., ∞]+\]`)

	// addresses begin links that GitHub makes of plain text.
	addresses = regexp.MustCompile(`(?i)(https?|ftp|mailto|xmpp):|www\.`)

	// begins finds what makes a line of Markdown a list, a heading, a rule or a quotation.
	begins = regexp.MustCompile(`^(?:[-+]|#{1,6}|[0-9]{1,9}[.)])(?: |$)|^(?:-[- ]*|=+ *)$`)
)

// Markdown is a text in a line or a table's cell of GitHub's Markdown, as Line writes it: it makes no link, image,
// HTML, code, formula or other cell. It is not idempotent.
func Markdown(s string) string {
	s = Line(s)
	var b strings.Builder
	at := 0
	for _, m := range intervals.FindAllStringIndex(s, -1) {
		b.WriteString(escapeMarkup(s[at:m[0]]))
		at = m[0]
		if m[1] == len(s) || !strings.ContainsRune("([:", rune(s[m[1]])) { // otherwise it could be a link's text
			b.WriteString(s[m[0]:m[1]])
			at = m[1]
		}
	}
	b.WriteString(escapeMarkup(s[at:]))
	return b.String()
}

func escapeMarkup(s string) string {
	s = strings.NewReplacer(`\`, `\\`, "`", "\\`", "|", `\|`, "*", `\*`, "_", `\_`, "~", `\~`, "$", `\$`,
		"[", `\[`, "](", `\]\(`, "]", `\]`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "@", "&#64;").Replace(s)
	return addresses.ReplaceAllStringFunc(s, func(m string) string { return m[:len(m)-1] + `\` + m[len(m)-1:] })
}

// MarkdownLine is Markdown for a text at the beginning of a line, which makes no list, heading or rule either.
func MarkdownLine(s string) string {
	s = strings.TrimLeft(Markdown(s), " ") // four spaces would make it code
	m := begins.FindString(s)
	if m == "" {
		return s
	}
	sign := strings.IndexAny(m, "-+#.)=")
	return s[:sign] + `\` + s[sign:]
}

// Shell is a path as a shell reads it.
func Shell(path string) string {
	if strings.ContainsAny(path, " \t\"'$&;|<>()*?[]#~`\\") {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}
