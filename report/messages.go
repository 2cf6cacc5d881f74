package report

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/brewput/brewput/compare"
)

// writeMessages writes the warnings of the whole run. Then it writes each distinct text of the rows once, with the rows
// and designs that it concerns. Warnings that differ only in quantities are one, with the range of each quantity.
// Of errors that differ only in what changes from trial to trial, such as ports, the page has the first, and how many
// others there are.
func writeMessages(b *strings.Builder, title string, t tone, runWarnings []compare.Warning, rows []compare.Row,
	texts func(compare.Row) []string, st Style) {
	type concern struct {
		texts   []string
		rows    map[int]bool
		designs []string
	}

	// Collect equal texts of several rows.
	var list []*concern
	for at, r := range rows {
		for _, text := range texts(r) {
			i := slices.IndexFunc(list, func(c *concern) bool {
				same := sameButNumbers
				if t == alarm {
					same = sameButVarying
				}
				return c.texts[0] == text || !st.shows("warnings") && same(c.texts[0], text)
			})
			if i < 0 {
				list = append(list, &concern{rows: map[int]bool{}})
				i = len(list) - 1
			}
			list[i].texts = append(list[i].texts, text)
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
		if n := len(c.designs); n > mostDesigns+1 && t == caution && !st.shows("warnings") {
			c.designs = append(c.designs[:mostDesigns:mostDesigns], fmt.Sprintf("%d more", n-mostDesigns))
		}
		where := fmt.Sprintf("%d of %d rows: %s", len(c.rows), len(rows), strings.Join(c.designs, ", "))
		if len(c.rows) == len(rows) {
			where = "every row"
		}
		text := c.texts[0]
		if t == caution {
			text = withRanges(c.texts)
		} else if n := distinct(c.texts) - 1; n > 0 {
			where += fmt.Sprintf("; %d more with other numbers", n)
		}
		writeCaution(b, text, "("+where+")", t, st)
	}
}

// distinct is the number of different texts.
func distinct(texts []string) int { return len(slices.Compact(slices.Sorted(slices.Values(texts)))) }

// mostDesigns is the number of designs that a warning names, unless the page shows warnings in full.
const mostDesigns = 4

// writeWarning writes a warning of a run.
func writeWarning(b *strings.Builder, text string, st Style) {
	writeCaution(b, text, "", caution, st)
}

// quantity matches a number that may be a range of several: not a part of a name such as p99, of a position such as
// main.go:12, of an exponent, or of a signed number.
var quantity = regexp.MustCompile(`(^|[^\w:.+-])([0-9]+(?:\.[0-9]+)?)`)

// changing matches the numbers of an error that change from trial to trial: ports, process IDs, how many requests
// failed, and the time of a log. Others may be a line, an exit status, or what is wrong.
var changing = regexp.MustCompile(`((?:[0-9]+\.){3}[0-9]+|localhost|\]|[\s=]):[0-9]+|\b(port|PORT|process)[ =][0-9]+` +
	`|\b[0-9]+ of [0-9]+ (requests|replies)|[0-9]{4}[/-][0-9]{2}[/-][0-9]{2}[ T][0-9:.]+`)

// sameButVarying reports whether two texts differ only in such numbers.
func sameButVarying(a, b string) bool {
	return changing.ReplaceAllString(a, "$1$2$3#") == changing.ReplaceAllString(b, "$1$2$3#")
}

// sameButNumbers reports whether two texts differ only in quantities.
func sameButNumbers(a, b string) bool {
	return quantity.ReplaceAllString(a, "${1}0") == quantity.ReplaceAllString(b, "${1}0")
}

// withRanges returns the first of texts that differ only in quantities, with the range of each quantity.
func withRanges(texts []string) string {
	numbers := make([][]string, len(texts))
	for i, text := range texts {
		for _, m := range quantity.FindAllStringSubmatch(text, -1) {
			numbers[i] = append(numbers[i], m[2])
		}
	}
	k := -1
	return quantity.ReplaceAllStringFunc(texts[0], func(match string) string {
		k++
		before := strings.TrimSuffix(match, numbers[0][k])
		least, most := numbers[0][k], numbers[0][k]
		for i := range texts {
			switch x := numbers[i][k]; {
			case parsed(x) < parsed(least):
				least = x
			case parsed(x) > parsed(most):
				most = x
			}
		}
		if least == most {
			return match
		}
		return before + least + " to " + most
	})
}

// parsed is the value of digits.
func parsed(digits string) float64 {
	x, _ := strconv.ParseFloat(digits, 64) // infinite if it is out of range
	return x
}

// writeCaution writes a warning or an error, with where it holds.
func writeCaution(b *strings.Builder, text, where string, t tone, st Style) {
	b.WriteString(st.paint(t, "!") + " ")
	wrap(b, st.split(strings.TrimSpace(text+" "+where)), " ", 2, st.width()-2)
}
