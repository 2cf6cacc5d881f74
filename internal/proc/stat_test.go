package proc

import (
	"strings"
	"testing"
	"time"
)

// statText returns a line as the kernel writes it for a process of a name.
func statText(name string) string {
	return "12 (" + name + ") S 3 4 5 0 -1 4194304 95 0 0 0 7 8 25 5 20 0 1 0 4242 1000 2000\n"
}

// awkwardNames are names of processes. The kernel does not restrict their characters.
var awkwardNames = []string{"", "a", "a b", "(a)", ")", "(", ") R 1", "a) Z 9 9 9", ") R 1 2 3 (", "x (y) z", "a\nb"}

// TestParseStat checks each field, whatever the name of the process is.
func TestParseStat(t *testing.T) {
	for _, name := range awkwardNames {
		want := Stat{name, 'S', 3, 4, 5, 150 * time.Millisecond, 300 * time.Millisecond, 4242}
		if got, ok := ParseStat(statText(name)); got != want || !ok {
			t.Errorf("%q: %+v, %t", name, got, ok)
		}
	}
	for _, text := range []string{"", "12", "12 (a", "12 a) S", ")12 (", "9 (torn) R",
		strings.Join(strings.Fields(statText("a"))[:21], " "), strings.Replace(statText("a"), " S ", " 17 ", 1),
		strings.Replace(statText("a"), " 4 ", " x ", 1), strings.Replace(statText("a"), "4242", "x", 1)} {
		if got, ok := ParseStat(text); ok {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// FuzzParseStat checks that no text causes a panic, and that no name changes the other fields.
func FuzzParseStat(f *testing.F) {
	for _, name := range awkwardNames {
		f.Add(name)
		f.Add(statText(name))
	}
	f.Add("12 (a")
	f.Fuzz(func(t *testing.T, text string) {
		if s, ok := ParseStat(text); ok && len(strings.Fields(text[strings.LastIndexByte(text, ')'):])) < 20 {
			t.Errorf("%+v", s)
		}
		want, _ := ParseStat(statText("a"))
		want.Name = text
		if s, ok := ParseStat(statText(text)); s != want || !ok {
			t.Errorf("%q: %+v", text, s)
		}
	})
}
