package find

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/brewput/brewput/env"
)

// topic is the text that is searched for. It does not contain any word of the documents.
const topic = "president"

// seed is the seed of all documents, which are the same in every trial.
const seed = 1

// corpus is a list of documents, and the number of their items with the topic in the title or the description.
type corpus struct {
	documents [][]byte
	matches   int
}

// newCorpus generates n documents with that number of items.
func newCorpus(n, items int) corpus {
	words := vocabulary()
	c := corpus{documents: make([][]byte, n)}
	for i := range n {
		d := document{words: words, random: env.NewRand(seed).At(uint64(i), 0)}
		c.documents[i] = d.write(i, items)
		c.matches += d.matches
	}
	return c
}

// document is the state of a document that is being generated.
type document struct {
	text    []byte
	words   []string
	random  env.Draws
	matches int
}

func (d *document) write(number, items int) []byte {
	d.text = make([]byte, 0, 400+items*540)
	d.add(`<?xml version="1.0" encoding="UTF-8"?>`, "\n", `<rss version="2.0"><channel>`, "\n<title>Feed ",
		strconv.Itoa(number),
		"</title><link>http://feeds.example.com/", strconv.Itoa(number),
		"</link>\n<description>What is new</description><language>en-us</language>\n")
	for range items {
		d.item()
	}
	d.add("</channel></rss>\n")
	return d.text
}

// item generates an item. About one in six has the topic, most of these in the description.
func (d *document) item() {
	r := d.random.Uint64()
	inTitle, inText := r&0x1f == 0, r>>8&7 == 0
	if inTitle || inText {
		d.matches++
	}
	d.add("<item><title>")
	d.prose(6, inTitle)
	d.add("</title><link>http://feeds.example.com/item/", strconv.FormatUint(r>>40, 10),
		`</link><guid isPermaLink="false">`, strconv.FormatUint(r>>32, 16),
		"</guid><pubDate>Tue, 14 Aug 2018 12:00:00 GMT</pubDate><description>")
	if r>>16&7 == 0 {
		d.add("<![CDATA[<p>")
		d.prose(56, inText)
		d.add("</p>]]>")
	} else {
		d.prose(58, inText)
	}
	d.add("</description></item>\n")
}

// prose writes n words, and the topic among them.
func (d *document) prose(n int, hit bool) {
	at := -1
	if hit {
		at = int(d.random.Uint64() % uint64(n))
	}
	var r uint64
	for i := range n {
		if i&7 == 0 {
			r = d.random.Uint64()
		}
		if i == at {
			d.add(topic, " ")
		}
		d.add(d.words[r&63])
		r >>= 8
		if r&0x3f == 5 {
			d.add(" &amp;")
		}
		d.add(" ")
	}
}

func (d *document) add(pieces ...string) {
	for _, p := range pieces {
		d.text = append(d.text, p...)
	}
}

func vocabulary() []string {
	words := strings.Fields(`the of and a to in is was he for it with as his on be at by had not are but from or have an they which
one you were her all she there would their we him been has when who will more no if out so said what up its about into than them
can only other new some could time`)
	if len(words) != 64 {
		panic(fmt.Sprintf("%d words instead of 64", len(words)))
	}
	return words
}
