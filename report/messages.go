package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/quote"
)

// writeMessages writes the warnings of the whole run. Then it writes each distinct text of the rows once (warnings
// that differ only in numbers are one), with the
// rows and designs that it concerns.
func writeMessages(b *strings.Builder, title string, t tone, runWarnings []compare.Warning, rows []compare.Row,
	texts func(compare.Row) []string, st Style) {
	type concern struct {
		text    string
		rows    map[int]bool
		designs []string
	}

	// Collect equal texts of several rows.
	var list []*concern
	for at, r := range rows {
		for _, text := range texts(r) {
			i := slices.IndexFunc(list, func(c *concern) bool {
				return c.text == text || t == caution && !st.shows("warnings") && sameButNumbers(c.text, text)
			})
			if i < 0 {
				list = append(list, &concern{text: text, rows: map[int]bool{}})
				i = len(list) - 1
			}
			list[i].rows[at] = true
			if !slices.Contains(list[i].designs, r.Design) {
				list[i].designs = append(list[i].designs, r.Design)
			}
		}
	}

	if len(list)+len(runWarnings) == 0 {
		return
	}

	writeHeading(b, title, "", st)
	for _, x := range runWarnings {
		writeCaution(b, x.Text, "", t, st)
	}
	for _, c := range list {
		where := fmt.Sprintf("(%d of %d rows: %s)", len(c.rows), len(rows), strings.Join(c.designs, ", "))
		if len(c.rows) == len(rows) {
			where = "(every row)"
		}
		writeCaution(b, c.text, where, t, st)
	}
}

// writeWarning writes a warning of a run.
func writeWarning(b *strings.Builder, text string, st Style) {
	b.WriteString(st.paint(caution, "!") + " ")
	wrap(b, st.split(text), " ", 2, st.width()-2)
}

// sameButNumbers reports whether two texts differ only in numbers.
func sameButNumbers(a, b string) bool {
	digit := func(r rune) bool { return r >= '0' && r <= '9' || r == '.' }
	return slices.Equal(strings.FieldsFunc(a, digit), strings.FieldsFunc(b, digit))
}

// messageLines is the number of lines of a warning, unless the page shows them in full.
const messageLines = 2

// writeCaution writes a warning or an error, with where it holds. A long warning ends after a clause.
func writeCaution(b *strings.Builder, text, where string, t tone, st Style) {
	if t == caution && !st.shows("warnings") {
		text = st.shorten(text, messageLines*(st.width()-4)-quote.Width(where)-2)
	}
	b.WriteString(st.paint(t, "!") + " ")
	wrap(b, st.split(strings.TrimSpace(text+" "+where)), " ", 2, st.width()-2)
}

// shorten cuts a text that is wider than room after the last clause that fits, or after the last word.
func (st Style) shorten(text string, room int) string {
	words := st.split(text)
	if quote.Width(strings.Join(words, " ")) <= room {
		return text
	}
	fits, clause := "", ""
	for _, w := range words {
		next := strings.TrimSpace(fits + " " + w)
		if quote.Width(next) > room-2 {
			break
		}
		fits = next
		if strings.HasSuffix(w, ";") || strings.HasSuffix(w, ":") {
			clause = strings.TrimRight(next, ";:")
		}
	}
	if 2*quote.Width(clause) > room {
		return clause + " " + st.pick("…", "...")
	}
	return strings.TrimRight(fits, ",;:") + " " + st.pick("…", "...")
}
