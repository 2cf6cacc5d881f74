package find

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// agree fails if the scanner and encoding/xml disagree on a document.
func agree(t interface {
	Helper()
	Errorf(string, ...any)
}, s *scanner, doc []byte) {
	t.Helper()
	var want feed
	wrong := xml.Unmarshal(doc, &want)
	var got []item
	err := s.items(doc, func(title, description []byte) {
		got = append(got, item{Title: string(title), Description: string(description)})
	})
	if (err != nil) != (wrong != nil) {
		t.Errorf("%q: %v; encoding/xml says %v", doc, err, wrong)
		return
	}
	if wrong != nil {
		return
	}
	for i, w := range want.Channel.Items {
		if i >= len(got) || got[i].Title != w.Title || got[i].Description != w.Description {
			t.Errorf("%q: items %q; encoding/xml has %q", doc, got, want.Channel.Items)
			return
		}
	}
	if len(got) != len(want.Channel.Items) {
		t.Errorf("%q: %d items, encoding/xml has %d", doc, len(got), len(want.Channel.Items))
	}
}

// documents returns documents that are hard to scan.
func documents() []string {
	list := []string{
		``, ` `, `<`, `<rss`, `<rss/>`, `<rss></rss>`, `<rss></rss>rubbish <`, `</rss>`, `<rss></RSS>`, `<html/>`,
		"\ufeff<rss/>", "text<rss/>", `<!---><rss/>`,
		`<?xml version="1.0"?><rss/>`, `<?xml version='1.1'?><rss/>`, `<?xml encoding="latin1"?><rss/>`,
		`<?xml encoding=UTF-8 encoding="latin1"?><rss/>`,
		`<?xml encoding="Utf-8" version=""?><rss/>`, `<?xml version="1.0?><rss/>`, `<??><rss/>`, `<?a:b:c ?><rss/>`,
		`<? a?><rss/>`, `<?xml?><rss/>`, `<?x>?><rss/>`,
		`<!DOCTYPE rss [<!ENTITY a "<>"> <!-- > ' --> ]><rss/>`, `<!><rss/>>`, `<!"><rss/>`, `<!x "><rss/>`,
		`<!x <><rss/>`, `<!x <!-><rss/>>`, `<!x <!--><rss/>-->><rss/>`,
		`<!-- -- --><rss/>`, `<!-- a ---><rss/>`, `<!----><rss/>`, `<!-x><rss/>`, `<![CDAT[]]><rss/>`,
		`<![CDATA[]]><rss/>`, `<![CDATA[x<rss/>`,
		`<a:rss xmlns:a="b"><a:channel/></a:rss>`, `<a:rss></b:rss>`, `<:rss></:rss>`, `<rss:></rss:>`, `<a:b:rss/>`,
		`<1rss/>`, `<rss><é/><·/></rss>`, `<rss><é·></é·></rss>`, "<rss><a\xff/></rss>",
		`<rss a/>`, `<rss a=b/>`, `<rss a="b"c='d' e = "f"/>`, `<rss a="<"/>`, `<rss a="&amp;&#65;"/>`,
		`<rss a="&x;"/>`, `<rss a="]]>"/>`, "<rss a=\"\x01\"/>", "<rss a=\"\xff\"/>", `<rss a="/>`, `<rss / >`,
		`<rss a="b"`,
	}
	for _, text := range []string{
		``, `a`, ` a `, `&lt;&gt;&amp;&apos;&quot;`, `&#65;&#x41;&#X41;`, `&#xD800;`, `&#x10FFFF;&#x110000;`,
		`&#x10FFFF;`, `&#0;`, `&#xFFFE;`, `&#;`, `&#x;`, `&;`, `&`, `&lt`, `& lt;`, `&lt ;`, `&LT;`, `&nbsp;`,
		`&#99999999999999999999;`, "a\rb\r\nc\n\rd", "\r&#13;&#10;\r", `]]`, `]]>`, `]]&gt;`, `]]&gt;]]>`, `é`, "\xc3",
		"\xef\xbf\xbf", "\xef\xbf\xbe", "\xed\xa0\x80", "\x00", "\x0b", "\u0085",
		`<![CDATA[<&>]]>`, `a<![CDATA[b]]>c`, `<![CDATA[]]]]><![CDATA[>]]>`, "<![CDATA[\r\n\r]]>", "<![CDATA[\xff]]>",
		"<![CDATA[\x02]]>", `a<!-- c -->b`, "\r<!-- -->\n", `a<b>c</b>d`, `a<b/>&amp;`, `a<title>b</title>c`,
		`<?p?>x`, `<b>&x;</b>`, `<b>]]></b>`,
	} {
		list = append(list,
			`<rss><channel><item><title>`+text+`</title></item></channel></rss>`,
			`<rss><channel>`+text+`<item><title>x`+text+`</title>`+text+`<description>&amp;`+text+
				`</description><title>`+text+`y</title></item></channel></rss>`)
	}
	return append(list,
		`<rss><channel><item/><item><title/></item></channel><channel><item><description>a</description></item></channel></rss>`,
		`<rss><item><title>no</title></item><channel><x><item/></x><item><x><title>no</title></x><title>a</title></item></channel></rss>`,
		`<rss><rss><channel><item/></channel></rss></rss>`, `<rss><channel><channel><item/></channel></channel></rss>`,
		`<rss><channel><item><item><title>no</title></item></item></channel></rss>`,
		`<rss><channel><item><title>a</title></channel></item></rss>`, `<rss><channel><item><title>a</title></item>`,
		`<rss><channel><n:item><n:title>a</n:title></n:item></channel></rss>`,
		strings.Repeat("<rss>", 20_000)+strings.Repeat("</rss>", 20_000))
}

func TestScannerAgreesWithEncodingXML(t *testing.T) {
	s := newScanner() // one for all: what a document leaves behind must not matter
	for _, d := range documents() {
		agree(t, s, []byte(d))
		for i := range min(len(d), 200) { // and all that ends too early
			agree(t, s, []byte(d[:i]))
		}
	}
	for _, d := range newCorpus(3, 20).documents {
		agree(t, s, d)
	}
}

// TestScannerAgreesOnRandomDocuments assembles random documents from pieces of XML.
func TestScannerAgreesOnRandomDocuments(t *testing.T) {
	s := newScanner()
	piece := rapid.SampledFrom([]string{
		"<rss>", "</rss>", "<channel>", "</channel>", "<item>", "</item>", "<title>", "</title>", "<description>",
		"</description>", "<b>", "</b>", "<b/>", "<a:item>", "</a:item>",
		"<", ">", "/", "&", ";", "&amp;", "&#65;", "]]>", "<![CDATA[", "<!--", "-->", "--", "<?xml ", "?>",
		"version=\"1.0\"", "<!DOCTYPE ", "[", "]", " ", "a", "=", "\"", "'", "\r", "\n", "é", "\x00", "\xff", ":",
		"x y",
	})
	well := rapid.SampledFrom([]string{"a", "&lt;", "\r\n", "<![CDATA[<]]>", "<!-- c -->", "<b>x</b>", "é", "<?p q?>",
		"&#x1F600;"})
	rapid.Check(t, func(t *rapid.T) {
		agree(t, s, []byte(strings.Join(rapid.SliceOf(piece).Draw(t, "pieces"), "")))
		text := func(name string) string { return strings.Join(rapid.SliceOfN(well, 0, 4).Draw(t, name), "") }
		doc := "<rss>" + text("head") + "<channel>"
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			doc += "<item>" + text("between")
			for range rapid.IntRange(0, 3).Draw(t, "fields") {
				field := rapid.SampledFrom([]string{"title", "description", "link"}).Draw(t, "field")
				doc += "<" + field + ">" + text("text") + "</" + field + ">"
			}
			doc += "</item>"
		}
		doc += "</channel></rss>"
		agree(t, s, []byte(doc))
		at, with := rapid.IntRange(0, len(doc)).Draw(t, "at"), piece.Draw(t, "with")
		agree(t, s, []byte(doc[:at]+with+doc[at:]))
	})
}

func FuzzScanner(f *testing.F) {
	for _, d := range documents() {
		if len(d) < 1000 {
			f.Add([]byte(d))
		}
	}
	s := newScanner()
	f.Fuzz(func(t *testing.T, doc []byte) { agree(t, s, doc) })
}

// TestNames checks that the characters of names are exactly those of encoding/xml.
func TestNames(t *testing.T) {
	a := newAlphabet()
	for r := rune(0x80); r <= 0x10FFFF; r++ {
		if r > 0xFFFF && r&0xff != 0 || 0xD800 <= r && r < 0xE000 {
			continue
		}
		for _, name := range []string{string(r), "a" + string(r)} {
			_, err := xml.NewDecoder(strings.NewReader("<" + name + "/>")).RawToken()
			if a.isName([]byte(name)) != (err == nil) {
				t.Fatalf("%q (%U): %v, encoding/xml says %v", name, r, a.isName([]byte(name)), err)
			}
		}
	}
}

// TestCorpus checks the number of matches in the documents, and that the scanner allocates nothing for them.
func TestCorpus(t *testing.T) {
	c := newCorpus(20, 50)
	again, found := newCorpus(20, 50), 0
	for i, d := range c.documents {
		n, err := countStandard(d)
		if err != nil {
			t.Fatal(err)
		}
		found += n
		if !bytes.Equal(d, again.documents[i]) {
			t.Errorf("document %d differs from one time to the next", i)
		}
	}
	if found != c.matches || found < 50 {
		t.Errorf("%d items with the topic, the documents say %d", found, c.matches)
	}
	r := (&task{corpus: c}).reader()
	if n := testing.AllocsPerRun(5, func() {
		for _, d := range c.documents {
			r.count(d)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkScan(b *testing.B) {
	c := newCorpus(10, 200)
	for _, x := range []bool{false, true} {
		b.Run(fmt.Sprintf("xml=%v", x), func(b *testing.B) {
			r := (&task{corpus: c, xml: x}).reader()
			b.SetBytes(int64(len(c.documents[0])))
			for i := 0; b.Loop(); i++ {
				r.count(c.documents[i%10])
			}
		})
	}
}
