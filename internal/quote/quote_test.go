package quote

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"plain µs, 日本 e\u0301": "plain µs, 日本 e\u0301", "\x1b[31m": `\x1b[31m`, "\u009b31m": `\u009b31m`,
		"\x9b31m": `\x9b31m`, "a\bb\x7f": `a\bb\x7f`, "\r\n\t\a": `\r\n\t\a`,
		"\u202e\u2066\u200e\u061c": `\u202e\u2066\u200e\u061c`, "\u200b\u2028\ufeff\u00a0": `\u200b\u2028\ufeff\u00a0`,
		"\xff\xc3(": `\xff\xc3(`, "\U000e0041": `\U000e0041`, "\ufffd": "\ufffd", `\x1b`: `\x1b`,
	} {
		if got := Line(in); got != want || Line(got) != got {
			t.Errorf("Line(%q) is %q, want %q", in, got, want)
		}
	}
	if got := Lines("a\tb\nc\r\x1b"); got != "a\tb\nc\\r\\x1b" {
		t.Errorf("Lines: %q", got)
	}
}

func TestFormats(t *testing.T) {
	for in, want := range map[string]string{
		"[1.97, 2.00]": "[1.97, 2.00]", "[1](http://x)": `\[1\]\(http\://x)`, "[1]: x": `\[1\]: x`, "a|b": `a\|b`,
		"<b>": "&lt;b&gt;", "`x`": "\\`x\\`", "\x1b": `\\x1b`, "www.x.y": `www\.x.y`,
	} {
		if got := Markdown(in); got != want {
			t.Errorf("Markdown(%q) is %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{"# x": `\# x`, "- x": `\- x`, "1. x": `1\. x`, "---": `\---`, "===": `\===`,
		"#x": "#x", "-5%": "-5%", "    x": "x", "1.5x": "1.5x"} {
		if got := MarkdownLine(in); got != want {
			t.Errorf("MarkdownLine(%q) is %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{"=1": "'=1", " =1": "' =1", "-a": "'-a", "\t=1": `\t=1`, "＝1": "'＝1",
		"a=1": "a=1"} {
		if got := CSV(in); got != want {
			t.Errorf("CSV(%q) is %q, want %q", in, got, want)
		}
	}
}

func TestWidth(t *testing.T) {
	for in, want := range map[string]int{"": 0, "abc": 3, "µ·┤": 3, "日本": 4, "e\u0301": 1, Line("\x1b\u202e"): 10} {
		if got := Width(in); got != want {
			t.Errorf("Width(%q) is %d, want %d", in, got, want)
		}
	}
	if got := Cut("日本語", 5); got != "日本" {
		t.Errorf("Cut: %q", got)
	}
}

// TestWriter checks that a rune that is written in two parts stays one rune.
func TestWriter(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	for _, part := range []string{"a\xe6", "\x97\xa5", "\x1b", "[\xc2", "\x9b\n\xe6\x97"} {
		if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	if err := w.Flush(); err != nil || b.String() != `a日\x1b[\u009b`+"\n"+`\xe6\x97` {
		t.Errorf("%q %v", b.String(), err)
	}
}

func FuzzQuote(f *testing.F) {
	for _, s := range []string{"plain", "\x1b]0;x\x07", "\u009b\x9b\u202e", "[a](b)|`c`", "=1", "\xe6\x97",
		"\U000e0041\ufdd0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for name, q := range map[string]string{"Line": Line(s), "CSV": CSV(s), "Markdown": Markdown(s),
			"MarkdownLine": MarkdownLine(s), "Word": Word(s), "Key": Key(s), "XML": XML(s)} {
			if i := strings.IndexFunc(q, func(r rune) bool { return !Printable(r) }); i >= 0 || !utf8.ValidString(q) {
				t.Fatalf("%s(%q) is %q", name, s, q)
			}
		}
		if strings.Contains(Markdown(s), "](") || strings.ContainsAny(Markdown(s), "<>") ||
			strings.ContainsAny(Word(s)+Key(s), " \t\n") {
			t.Fatalf("%q: %q %q", s, Markdown(s), Word(s))
		}
		if c := CSV(s); c != "" && strings.ContainsRune("=+-@", rune(c[0])) {
			t.Fatalf("CSV(%q) is %q", s, c)
		}
		if err := xml.Unmarshal([]byte("<a>"+XML(s)+"</a>"), new(struct{})); err != nil {
			t.Fatal(err)
		}
		jsonSurvives(t, s)
		splitSurvives(t, s)
	})
}

// jsonSurvives checks that the value is the one before encoding.
func jsonSurvives(t *testing.T, s string) {
	encoded, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var was, is string
	q := JSON(encoded)
	if err := json.Unmarshal(encoded, &was); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(q, &is); err != nil || is != was ||
		strings.ContainsFunc(string(q), func(r rune) bool { return !Printable(r) }) {
		t.Fatalf("JSON(%q) is %q: %q, %v", s, q, is, err)
	}
}

// splitSurvives checks that a text written in two parts gives the same as in one.
func splitSurvives(t *testing.T, s string) {
	for _, at := range []int{0, len(s) / 2, len(s)} {
		var b bytes.Buffer
		w := NewWriter(&b)
		w.Write([]byte(s[:at]))
		w.Write([]byte(s[at:]))
		if w.Flush(); b.String() != Lines(s) {
			t.Fatalf("%q in two parts at %d is %q, in one %q", s, at, b.String(), Lines(s))
		}
	}
}
