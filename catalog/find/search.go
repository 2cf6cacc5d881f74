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

// task is the work of one trial, shared by its designs.
type task struct {
	corpus
	read  time.Duration
	bytes int64
	xml   bool // by encoding/xml
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

// job is the job that run does; it returns how many items it found.
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

// reader is one goroutine's means to search: what it found, and the first thing that went wrong.
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

// search reads document i and counts its items with the topic.
func (r *reader) search(e env.Env, i int) {
	e.Wait(r.read)
	r.parse(e, i, r.documents[i])
}

// parse counts the items of a document that was read. Whoever does it, its cost belongs to the document.
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

// count is how many items of a document have the topic.
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

// feed is a document as encoding/xml needs it declared.
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

// countStandard is the original's: it unmarshals the document and looks at its items.
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

// sum is what several found.
func sum(readers []*reader) (found int, err error) {
	for _, r := range readers {
		found += r.found
		if err == nil {
			err = r.err
		}
	}
	return found, err
}
