package find

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// task is the work of a trial, which all designs share.
type task struct {
	corpus
	read  time.Duration
	bytes int64
	xml   bool // parse with encoding/xml
}

func newTask(p plan.Point, xml bool) *task {
	t := &task{corpus: newCorpus(p.Int("documents"), p.Int("items")), xml: xml}
	if p.Has("read") {
		t.read = p.Duration("read")
	}
	for _, d := range t.documents {
		t.bytes += int64(len(d))
	}
	return t
}

// job returns the job of a design. run returns the number of matching items.
func (t *task) job(run func(e env.Env) (int, error)) workload.Job {
	found := 0
	return workload.Job{
		Items: int64(len(t.documents)), Bytes: t.bytes,
		Run: func(e env.Env) (err error) {
			found, err = run(e)
			return err
		},
		Check: func() (workload.Answer, error) {
			if found != t.matches {
				return nil, fmt.Errorf("%d items with %q instead of %d", found, topic, t.matches)
			}
			return workload.Answer{"matches": found, "topic": topic}, nil
		},
	}
}

// reader is the state of a goroutine that searches: the number of matches, and the first error.
type reader struct {
	*task
	scanner *scanner
	topic   []byte
	found   int
	err     error
}

func (t *task) reader() *reader {
	return &reader{task: t, scanner: newScanner(), topic: []byte(topic)}
}

// search reads document i and counts its matching items.
func (r *reader) search(e env.Env, i int) {
	e.Wait(r.read)
	r.parse(e, i, r.documents[i])
}

// parse counts the matching items of a document, as a section of real code. Its recorded cost belongs to the document.
func (r *reader) parse(e env.Env, i int, document []byte) {
	e.For(uint64(i))
	w := e.Begin()
	n, err := r.count(document)
	w.End()
	r.found += n
	if r.err == nil {
		r.err = err
	}
}

// count returns the number of items of a document with the topic.
func (r *reader) count(document []byte) (n int, err error) {
	if r.xml {
		return countStandard(document)
	}
	err = r.scanner.items(document, func(title, description []byte) {
		if bytes.Contains(title, r.topic) || bytes.Contains(description, r.topic) {
			n++
		}
	})
	return n, err
}

// feed declares a document for encoding/xml.
type feed struct {
	XMLName xml.Name `xml:"rss"`
	Channel struct {
		XMLName xml.Name `xml:"channel"`
		Items   []item   `xml:"item"`
	} `xml:"channel"`
}

type item struct {
	XMLName     xml.Name `xml:"item"`
	Title       string   `xml:"title"`
	Description string   `xml:"description"`
}

// countStandard unmarshals the document with encoding/xml, as the original does, and counts its matching items.
func countStandard(document []byte) (n int, err error) {
	var f feed
	if err := xml.Unmarshal(document, &f); err != nil {
		return 0, err
	}
	for _, i := range f.Channel.Items {
		if strings.Contains(i.Title, topic) || strings.Contains(i.Description, topic) {
			n++
		}
	}
	return n, nil
}

// sum returns the total number of matches, and the first error.
func sum(readers []*reader) (found int, err error) {
	for _, r := range readers {
		found += r.found
		if err == nil {
			err = r.err
		}
	}
	return found, err
}
