package arch

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"
)

// chapterWords is the number of words that each chapter of the manual stays below, as wc -w counts them.
const chapterWords = 1500

// TestChapters checks the length, the pictures and the links of the documents, and that the README leads to the first
// three chapters in order.
func TestChapters(t *testing.T) {
	for _, wrong := range documentErrors(t, os.DirFS(filepath.Join("..", ".."))) {
		t.Error(wrong)
	}
}

var (
	fences   = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	indented = regexp.MustCompile(`(?m)^    .*$`)
	command  = regexp.MustCompile(`(?m)^ *\$ `)
	codes    = regexp.MustCompile("`[^`\n]*`")
	links    = regexp.MustCompile(`(!?)\[[^\]]*\]\(([^()\s]+)\)`)
	headings = regexp.MustCompile(`(?m)^#+ +(.*)$`)
)

// documentErrors returns what is wrong with the documents of a tree: those in its root and in docs.
func documentErrors(t *testing.T, tree fs.FS) []string {
	t.Helper()
	var wrong []string
	first := map[string]int{} // chapters that the README names, by their order
	for _, pattern := range []string{"*.md", "docs/*/*.md"} {
		names, err := fs.Glob(tree, pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("no documents match %s: %v", pattern, err)
		}
		for _, name := range names {
			text := read(t, tree, name)
			targets, pictures := linksOf(text)
			for _, target := range targets {
				if reason := linkError(t, tree, name, target); reason != "" {
					wrong = append(wrong, fmt.Sprintf("%s: the link to %s: %s", name, target, reason))
				}
				if file, _, _ := strings.Cut(target, "#"); name == "README.md" && first[file] == 0 {
					first[file] = len(first) + 1
				}
			}
			if path.Dir(name) == "docs/manual" {
				wrong = append(wrong, chapterErrors(name, text, pictures)...)
			}
		}
	}
	chapter := func(name string) int { return first["docs/manual/"+name] }
	one, two := chapter("1-explain.md"), chapter("2-benchmarks.md")
	if one == 0 || one >= two || two >= chapter("3-gate.md") {
		wrong = append(wrong, "README.md does not link to the chapters 1, 2 and 3 in this order")
	}
	return wrong
}

// chapterErrors returns what is wrong with a chapter of the manual, besides its links.
func chapterErrors(name, text string, pictures int) []string {
	var wrong []string
	if n := len(strings.Fields(text)); n >= chapterWords {
		wrong = append(wrong, fmt.Sprintf("%s has %d words; split it, or keep it below %d", name, n, chapterWords))
	}
	if pictures == 0 {
		wrong = append(wrong, name+" shows no picture")
	}
	for _, block := range fences.FindAllString(text, -1) { // the README promises that a test runs them
		if !strings.HasPrefix(block, "```console\n") && command.MatchString(block) {
			wrong = append(wrong, name+" has a command after a $ outside a console block, which no test runs")
		}
	}
	return wrong
}

// linksOf returns the targets of the links of a document outside code, with those of its pictures, and the number of
// its pictures.
func linksOf(text string) (targets []string, pictures int) {
	text = codes.ReplaceAllString(indented.ReplaceAllString(fences.ReplaceAllString(text, ""), ""), "")
	for _, link := range links.FindAllStringSubmatch(text, -1) {
		targets = append(targets, link[2])
		if link[1] == "!" {
			pictures++
		}
	}
	return targets, pictures
}

// linkError returns why a link of a document does not resolve, or "". It does not look up addresses on the web.
func linkError(t *testing.T, tree fs.FS, document, target string) string {
	t.Helper()
	if strings.Contains(target, "://") {
		return ""
	}
	file, anchor, anchored := strings.Cut(target, "#")
	name := document
	if file != "" {
		name = path.Join(path.Dir(document), file)
	}
	if _, err := fs.Stat(tree, name); err != nil {
		return "there is no such file"
	}
	if anchored && !slices.Contains(anchors(read(t, tree, name)), anchor) {
		return "there is no such heading"
	}
	return ""
}

// anchors returns the anchors of the headings of a document, as GitHub makes them.
func anchors(text string) []string {
	var list []string
	seen := map[string]int{}
	for _, heading := range headings.FindAllStringSubmatch(fences.ReplaceAllString(text, ""), -1) {
		anchor := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(heading[1]))
		if n := seen[anchor]; n > 0 {
			list = append(list, fmt.Sprintf("%s-%d", anchor, n))
		} else {
			list = append(list, anchor)
		}
		seen[anchor]++
	}
	return list
}

func read(t *testing.T, tree fs.FS, name string) string {
	t.Helper()
	text, err := fs.ReadFile(tree, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestChaptersAreChecked checks that each kind of error is found.
func TestChaptersAreChecked(t *testing.T) {
	const picture = "![what it\nshows](p.svg)\n"
	start := "[a](docs/manual/1-explain.md#run-it) [b](docs/manual/2-benchmarks.md) [c](docs/manual/3-gate.md)\n"
	const order = "README.md does not link to the chapters 1, 2 and 3 in this order"
	for _, test := range []struct{ name, text, want string }{
		{"README.md", start, ""},
		{"README.md", start + "```\n[x](no.md)\n```\n    [x](no.md)\n`[x](no.md)` [x](https://example.com)\n", ""},
		{"README.md", "[b](docs/manual/2-benchmarks.md) " + start, order},
		{"README.md", strings.ReplaceAll(start, "3-gate", "2-benchmarks"), order},
		{"README.md", start + "[d](docs/manual/4-no.md)", "the link to docs/manual/4-no.md: there is no such file"},
		{"README.md", start + "[d](docs/manual/3-gate.md#no)", "there is no such heading"},
		{"docs/manual/3-gate.md", "# Gate\n", "docs/manual/3-gate.md shows no picture"},
		{"docs/manual/3-gate.md", "![x](q.svg)",
			"docs/manual/3-gate.md: the link to q.svg: there is no such file"},
		{"docs/manual/3-gate.md", picture + "```console\n$ brewput list\n```\n", ""},
		{"docs/manual/3-gate.md", picture + "```text\n$ brewput list\n```\n", "outside a console block"},
		{"docs/manual/3-gate.md", picture + "- a list:\n\n  ```console\n  $ brewput list\n  ```\n",
			"outside a console block"}, // TestManual does not run it
		{"docs/manual/3-gate.md", picture + strings.Repeat("word ", 1496), ""},
		{"docs/manual/3-gate.md", picture + strings.Repeat("word ", 1497), "docs/manual/3-gate.md has 1500 words"},
	} {
		tree := fstest.MapFS{"docs/manual/p.svg": {}, "README.md": {Data: []byte(start)}}
		for _, name := range []string{"1-explain", "2-benchmarks", "3-gate"} {
			tree["docs/manual/"+name+".md"] = &fstest.MapFile{Data: []byte("## `Run` it!\n" + picture)}
		}
		tree[test.name] = &fstest.MapFile{Data: []byte(test.text)}
		got := strings.Join(documentErrors(t, tree), "\n")
		if test.want == "" && got != "" || !strings.Contains(got, test.want) {
			t.Errorf("%s: %.40q...: %q, want %q", test.name, test.text, got, test.want)
		}
	}
}
