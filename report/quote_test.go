package report

import (
	"regexp"
	"strings"
	"testing"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/quote"
)

// TestColoursAndNames checks that a page with colours has no escape sequences but Brewput's own, whatever names hold,
// and that columns are as wide as the printed text.
func TestColoursAndNames(t *testing.T) {
	rows := shops()
	for i := range rows {
		rows[i].Design = "\x1b[31m\ufdd0\ufdef日本\u202e" + rows[i].Design
		rows[i].Errors = []string{"panic: \x1b]0;x\x07\nnext \u009b31m"}
	}
	warnings := []compare.Warning{{Text: "\x1b[2J\ufdd1"}}
	own := regexp.MustCompile("\x1b\\[(1|2|3[1-6]|0)m")
	for _, color := range []bool{true, false} {
		var b strings.Builder
		if err := Table(&b, rows, nil, warnings, compare.Answer{},
			Style{Full: true, Width: 200, Color: color, Unicode: true}); err != nil {
			t.Fatal(err)
		}
		page := b.String()
		if color != own.MatchString(page) {
			t.Errorf("colours: %v, in %q", color, page)
		}
		page = own.ReplaceAllString(page, "")
		if i := strings.IndexFunc(page, func(r rune) bool { return !quote.Printable(r) && r != '\n' }); i >= 0 {
			t.Errorf("%q", page[max(0, i-40):])
		}
		if !strings.Contains(page, `\x1b[31m\ufdd0\ufdef日本\u202e`) {
			t.Errorf("no quoted name in\n%s", page)
		}
	}
	narrow := []column{{head: "n", left: true}, {head: "x"}}
	for _, name := range []string{"\x1b", "日本", "abcd"} {
		narrow[0].add(name, plain)
		narrow[1].add("1", plain)
	}
	var b strings.Builder
	render(&b, narrow, Style{Unicode: true})
	for line := range strings.Lines(b.String()) {
		if w := quote.Width(strings.TrimSuffix(line, "\n")); w != 7 {
			t.Errorf("a line of %d columns: %q", w, line)
		}
	}
}
