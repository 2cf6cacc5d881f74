package report

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/brewput/brewput/internal/quote"
)

// defaultWidth is the width if neither COLUMNS nor the terminal gives one. minWidth is the least width of a page.
const (
	defaultWidth = 100
	minWidth     = 40
)

// Style is what the page may use: its width, colours and characters, and the optional parts that it shows. The zero
// value is 100 columns of ASCII without optional parts.
type Style struct {
	Width   int // columns; 0 means 100
	Color   bool
	Unicode bool     // otherwise ASCII
	Parts   []string // names of the optional parts to show, such as "plots"
	Full    bool     // show all optional parts
}

// shows reports whether the page has an optional part.
func (st Style) shows(part string) bool { return st.Full || slices.Contains(st.Parts, part) }

// StyleFor returns the style for an environment and a terminal. terminalWidth is 0 if unknown.
func StyleFor(getenv func(string) string, isTerminal bool, terminalWidth int) Style {
	st := Style{Width: terminalWidth}
	if n, err := strconv.Atoi(getenv("COLUMNS")); err == nil && n > 0 {
		st.Width = n
	}
	if st.Width <= 0 {
		st.Width = defaultWidth
	}
	dumb := getenv("TERM") == "dumb"
	st.Color = isTerminal && !dumb && getenv("NO_COLOR") == ""
	st.Unicode = !dumb && localeHasUnicode(getenv)
	return st
}

// localeHasUnicode reads the locale as POSIX does: LC_ALL wins over LC_CTYPE, and that over LANG. Without any, as in
// many containers, it assumes that the terminal shows Unicode.
func localeHasUnicode(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(getenv(name)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true
}

func (st Style) width() int {
	if st.Width == 0 {
		return defaultWidth
	}
	return max(st.Width, minWidth)
}

// pick chooses between the Unicode and the ASCII form of a sign.
func (st Style) pick(unicode, ascii string) string {
	if st.Unicode {
		return unicode
	}
	return ascii
}

// text quotes a text for one line of the page, in ASCII if the terminal shows nothing else. Every name and sentence
// passes through text or ascii before it is measured or painted.
func (st Style) text(s string) string { return st.ascii(quote.Line(s)) }

// ascii quotes a text of several lines, or one that is split into words. For an ASCII page it spells the signs that
// Brewput uses, and replaces all others by '?'.
func (st Style) ascii(s string) string {
	s = quote.Lines(s)
	if st.Unicode {
		return s
	}
	s = strings.NewReplacer("µ", "u", "·", "-", "±", "+-", "∞", "inf", "≥", ">=", "–", "-", "…", "...").Replace(s)
	return strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf {
			return '?'
		}
		return r
	}, s)
}

// tone is an ANSI colour or weight: the parameters of its escape sequence. Every tone has a mark.
type tone string

const (
	plain   tone = ""
	bold    tone = "1"
	dim     tone = "2"
	alarm   tone = "31" // red: a result the design does not declare
	caution tone = "33" // yellow
)

// seriesTone is the colour of the i-th series of a plot. Letters distinguish the series; the colour only helps.
func seriesTone(i int) tone {
	tones := [...]tone{"36", "33", "35", "32", "34", "31"}
	return tones[i%len(tones)]
}

// Marks stand for escape sequences while a page is built. They are noncharacters of Unicode, which quoting never lets
// through. emit replaces them by the sequences after it has quoted the page.
const (
	firstMark = '\ufdd0'
	endMark   = '\ufdef'
)

// marked are the tones that have a mark: firstMark and its successors.
var marked = []tone{bold, dim, "31", "32", "33", "34", "35", "36"}

// paint gives quoted text a tone.
func (st Style) paint(t tone, s string) string {
	i := slices.Index(marked, t)
	if !st.Color || i < 0 || s == "" {
		return s
	}
	return string(firstMark+rune(i)) + s + string(endMark)
}

// emit writes a page. Nothing that quote.Lines would escape reaches w, except the sequences of tones on a page with
// colours.
func (st Style) emit(w io.Writer, page string) error {
	_, err := io.WriteString(w, st.sequences(page))
	return err
}

// sequences quotes the page and replaces the marks by escape sequences.
func (st Style) sequences(page string) string {
	if !st.Color {
		return quote.Lines(page)
	}

	pairs := []string{string(endMark), "\x1b[0m"}
	for i, t := range marked {
		pairs = append(pairs, string(firstMark+rune(i)), "\x1b["+string(t)+"m")
	}
	quoted := quote.Except(page, func(r rune) bool {
		return r == '\n' || r == '\t' || r == endMark || firstMark <= r && r < firstMark+rune(len(marked))
	})
	return strings.NewReplacer(pairs...).Replace(quoted)
}

// paintCells joins cells. Neighbours with one tone share an escape sequence.
func (st Style) paintCells(cells []cell) string {
	var b strings.Builder
	for i := 0; i < len(cells); {
		run := ""
		j := i
		for ; j < len(cells) && cells[j].tone == cells[i].tone; j++ {
			run += cells[j].text
		}
		b.WriteString(st.paint(cells[i].tone, run))
		i = j
	}
	return b.String()
}
