package report

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// defaultWidth is the width where neither COLUMNS nor the terminal says one; minWidth is the least
// that the page is laid out for.
const (
	defaultWidth = 100
	minWidth     = 40
)

// Style is what the page may use.
type Style struct {
	Width   int // columns; 0 means 100
	Color   bool
	Unicode bool // otherwise ASCII
}

// StyleFor is the style that the environment asks for. terminalWidth is 0 where it is unknown.
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

// localeHasUnicode reads the locale as POSIX does: LC_ALL wins over LC_CTYPE, that over LANG. Where
// none is set, as in many containers, today's terminals do show Unicode.
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

// ascii replaces the few signs of our own texts that ASCII lacks. Texts of others pass through it
// too: what is left becomes '?', so that nothing beyond ASCII reaches a terminal that cannot show it.
func (st Style) ascii(s string) string {
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

// tone is an ANSI colour or weight: the parameters of its escape sequence.
type tone string

const (
	plain   tone = ""
	bold    tone = "1"
	dim     tone = "2"
	alarm   tone = "31" // red: a result the design does not declare
	caution tone = "33" // yellow
)

// seriesTone colours the series of a plot in turn. Letters tell them apart; the colour only helps.
func seriesTone(i int) tone {
	tones := [...]tone{"36", "33", "35", "32", "34", "31"}
	return tones[i%len(tones)]
}

func (st Style) paint(t tone, s string) string {
	if !st.Color || t == plain || s == "" {
		return s
	}
	return "\x1b[" + string(t) + "m" + s + "\x1b[0m"
}

// paintCells joins cells; neighbours of one tone share an escape sequence.
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
