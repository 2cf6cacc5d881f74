package report

import (
	"strings"
	"testing"

	"github.com/brewput/brewput/compare"
)

// TestLift checks names that are too long for the page: they are written above their rows, once for consecutive rows,
// and no column is dropped for them. Names that fit stay in their rows.
func TestLift(t *testing.T) {
	names, numbers := column{head: "benchmark", left: true, liftable: true}, column{head: "time/op", drop: 1}
	long := strings.Repeat("long", 8)
	for _, name := range []string{"Short", long + "A", long + "A", long + "B", "Short", long + "B"} {
		names.add(name, plain)
		numbers.add("12.00ns", plain)
	}
	const row = "           12.00ns\n"
	want := "benchmark  time/op\n------------------\nShort      12.00ns\n" + long + "A\n" + row + row + long + "B\n" +
		row + "Short      12.00ns\n" + long + "B\n" + row
	var b strings.Builder
	writeTable(&b, []column{names, numbers}, func([]column) []string { return nil }, Style{Width: minWidth})
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	b.Reset()
	writeTable(&b, []column{names, numbers}, func([]column) []string { return nil }, Style{Width: 50})
	if strings.Count(b.String(), "\n") != 8 {
		t.Errorf("there is room for all:\n%s", b.String())
	}
}

// TestIndents checks where sentences begin and how their further lines are indented.
func TestIndents(t *testing.T) {
	rows, st := []compare.Row{{Workload: "w"}}, Style{Width: minWidth}
	text, seven := strings.TrimSpace(strings.Repeat("word ", 12)), strings.TrimSpace(strings.Repeat("word ", 7))
	var b strings.Builder
	writeList(&b, rows, nil, "title", "", st)
	writeList(&b, nil, nil, "title", "", st)
	writeParagraphs(&b, nil, st)
	writeIndented(&b, " ", 4, st)
	if b.Len() > 0 {
		t.Errorf("without a sentence: %q", b.String())
	}
	writeList(&b, rows, []string{text, "seven"}, "title", "", st)
	if _, list, _ := strings.Cut(b.String(), "w: title"); list != "\n  "+seven+"\n    word word word "+
		"word word\n  seven\n" {
		t.Errorf("listed: %q", list)
	}
	b.Reset()
	b.WriteString("above\n")
	writeParagraphs(&b, []string{text, "seven"}, st)
	if b.String() != "above\n\n"+seven+" word\n  word word word word\nseven\n" {
		t.Errorf("paragraphs: %q", b.String())
	}
}

// TestNamesStayInLine checks that a line break in a name does not begin a line that looks like another sentence.
func TestNamesStayInLine(t *testing.T) {
	var b strings.Builder
	writeParagraphs(&b, []string{"\nwarning: all is well\nb (cpus 1): undecided"}, Style{Width: 80})
	if got, want := b.String(), "\\nwarning: all is well\\nb (cpus 1): undecided\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
