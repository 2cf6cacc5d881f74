package quote

import (
	"encoding/xml"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON escapes, in encoded JSON, the characters that a terminal could act on or hide as \uXXXX. The JSON stays
// valid and its strings keep their values. Invalid UTF-8, which can only occur outside strings, becomes \ufffd.
func JSON(encoded []byte) []byte {
	var out []byte // nil until something is escaped
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

// XML quotes text for XML and SVG: as Line does, and with entities for markup. Unlike Line it is not
// idempotent.
func XML(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(Line(s))) // a Builder returns no error
	return b.String()
}

// CSV quotes the text of a CSV cell as Line does, so that no cell begins with a tab or a carriage return. Text
// that a spreadsheet would take for a formula gets an apostrophe in front, which spreadsheets hide (OWASP, CSV
// Injection). Numbers need no quoting: pass only text. encoding/csv adds quotation marks.
func CSV(s string) string {
	s = Line(s)
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, " "))
	if strings.ContainsRune("=+-@＝＋－＠", first) {
		return "'" + s
	}
	return s
}

// Word quotes a word of the Go benchmark format, such as a name or a unit, as Line does. It writes a space,
// which would end the word, as %20.
func Word(s string) string { return strings.ReplaceAll(Line(s), " ", "%20") }

// Key makes a configuration key of the Go benchmark format. A key begins with a lower-case letter and has no
// capitals, spaces or colons.
func Key(s string) string {
	s = strings.NewReplacer(":", "%3a", " ", "%20").Replace(strings.ToLower(Line(s)))
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return "x" + s
	}
	return s
}

var (
	// intervals match brackets with only numbers, such as [1.97, 2.00]. They are no links, so they stay
	// readable.
	intervals = regexp.MustCompile(`\[[-+0-9., ∞]+\]`)

	// addresses match the beginnings of links that GitHub makes of plain text.
	addresses = regexp.MustCompile(`(?i)(https?|ftp|mailto|xmpp):|www\.`)

	// begins matches what makes a line of Markdown a list, a heading, a rule or a quotation.
	begins = regexp.MustCompile(`^(?:[-+]|#{1,6}|[0-9]{1,9}[.)])(?: |$)|^(?:-[- ]*|=+ *)$`)
)

// Markdown quotes text within a line or a table cell of GitHub's Markdown, as Line does. The result makes no
// link, image, HTML, code, formula or cell. It is not idempotent.
func Markdown(s string) string {
	s = Line(s)
	var b strings.Builder
	at := 0
	for _, m := range intervals.FindAllStringIndex(s, -1) {
		b.WriteString(escapeMarkup(s[at:m[0]]))
		at = m[0]
		if m[1] == len(s) || !strings.ContainsRune("([:", rune(s[m[1]])) { // otherwise it could be the text of a link
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

// MarkdownLine is Markdown for text at the beginning of a line, which also makes no list, heading or rule.
func MarkdownLine(s string) string {
	s = strings.TrimLeft(Markdown(s), " ") // four spaces would make it code
	m := begins.FindString(s)
	if m == "" {
		return s
	}
	sign := strings.IndexAny(m, "-+#.)=")
	return s[:sign] + `\` + s[sign:]
}

// Shell quotes a path for a shell.
func Shell(path string) string {
	if strings.ContainsAny(path, " \t\"'$&;|<>()*?[]#~`\\") {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}
