package corenlp

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/brewput/brewput/endpoint"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Class is the main class of the server.
const Class = "edu.stanford.nlp.pipeline.StanfordCoreNLPServer"

const (
	// startLimit is the time that a server may take to load its models, also on a busy machine.
	startLimit = 3 * time.Minute
	// timeout is the time that a request may take. A sentence of 40 words takes seconds before the code is compiled.
	timeout = 2 * time.Minute
	// maxReply is the largest reply in bytes; that of 40 words has 34 kB.
	maxReply = 1 << 20
	// maxErrors is the share of requests that may fail.
	maxErrors = 0.1
)

//go:embed corenlp.go jars.go reply.go sentences.go
var sources embed.FS

// Workload returns the workload corenlp: CoreNLP's server parses sentences.
func Workload() *workload.Workload {
	w := of(install{java: "java"})
	w.Options = []workload.Option{
		{Name: "jars", Value: "DIR", Doc: "directory of CoreNLP's files (default in the cache directory)"},
		{Name: "java", Value: "PROGRAM", Doc: "program that runs Java (default java)"},
	}
	w.Make = func(g workload.Given) (*workload.Workload, error) {
		return of(install{java: cmp.Or(g.Get("java"), "java"), dir: g.Get("jars")}), nil
	}
	return w
}

// of returns the workload for an installation.
func of(in install) *workload.Workload {
	return &workload.Workload{
		Name: "corenlp",
		Doc: "Parse English sentences by the server of CoreNLP, in Java\n" +
			"Each trial starts a server, loads its models, and checks every parse.",
		Factors: []plan.Factor{
			{Name: "annotators", Doc: "what the server computes: tags (pos), tags and constituency tree (parse), or " +
				"tags and dependencies (depparse)", Kind: plan.Text, Default: parse,
				Words: []string{pos, parse, depparse}, Input: true},
			{Name: "length", Doc: "words of each sentence: " + lengths(), Kind: plan.Int, Default: "20", Min: 1,
				Input: true},
			{Name: "heap", Doc: "largest heap of the server, as Java's -Xmx", Kind: plan.Text, Default: "2g"},
			{Name: "threads", Doc: "requests that the server serves at the same time", Kind: plan.Int,
				Default: "cpus", Min: 1, Max: 1000},
		},
		Designs: []workload.Design{
			{Name: "server", Doc: "sends sentences to the server, one for each request", Worlds: workload.LiveOnly,
				Remote: true, Uses: factors(), Stream: func(e env.Env, p plan.Point) (workload.Stream, error) {
					return in.open(e, p, p.Text("annotators"))
				}},
			{Name: "swapped", Doc: "asks for another annotator than the check expects", Worlds: workload.LiveOnly,
				Remote: true, Uses: factors(), Expect: workload.WrongAnswer, OnRequest: true,
				Stream: func(e env.Env, p plan.Point) (workload.Stream, error) {
					return in.open(e, p, swapped(p.Text("annotators")))
				}},
		},
		Source:         sources,
		Preflight:      true,
		FurtherMetrics: []string{"latency_p99_ns"},
		Example:        "{designs} server {annotators} pos {workers} 4",
		Check:          in.check,
		Quick:          map[string]string{"length": "10"},
	}
}

// factors are the names of the factors of all designs.
func factors() []string { return []string{"annotators", "length", "heap", "threads"} }

// swapped returns an annotator that computes something else.
func swapped(annotators string) string {
	if annotators == parse {
		return depparse
	}
	return parse
}

// heapSize matches a size of the heap.
var heapSize = regexp.MustCompile(`^[1-9][0-9]{0,5}[mg]$`)

// check refuses points that have no server or no sentence.
func (in install) check(p plan.Point) error {
	if len(ofLength(p.Int("length"))) == 0 {
		return plan.Refuse("length", p.Int("length"), "has no stored sentence").Suggest("give one of %s", lengths())
	}
	if heap := p.Text("heap"); !heapSize.MatchString(heap) {
		return plan.Refuse("heap", fmt.Sprintf("%.40q", heap), "is no size of a heap").
			Suggest("give megabytes or gigabytes, as in 512m or 2g")
	}
	_, err := in.resolve()
	return err
}

// open starts the server of a point, and returns the stream of requests that ask for the given annotators.
func (in install) open(e env.Env, p plan.Point, annotators string) (workload.Stream, error) {
	found, err := in.resolve()
	if err != nil {
		return workload.Stream{}, err
	}
	return found.service(p, annotators).Stream(e, p)
}

// service describes the server of a point and its requests, which ask for the given annotators.
func (in install) service(p plan.Point, annotators string) *endpoint.Service {
	sentences := ofLength(p.Int("length"))
	verified := make([]atomic.Pointer[[]byte], len(sentences))
	s := &endpoint.Service{
		Start: in.command(p, annotators), Ready: "http://127.0.0.1:{port}/ready", StartLimit: startLimit,
		Timeout: timeout, MaxBody: maxReply, MaxErrors: maxErrors,
		// The server computes the same reply for the same sentence each time, so that most are compared byte by byte.
		Verify: func(i int, r endpoint.Reply) error {
			if known := verified[i].Load(); known != nil && bytes.Equal(*known, r.Body) {
				return nil
			}
			if err := check(sentences[i], p.Text("annotators"), r.Body); err != nil {
				return err
			}
			body := bytes.Clone(r.Body)
			verified[i].Store(&body)
			return nil
		},
	}
	for _, sentence := range sentences {
		s.Requests = append(s.Requests, endpoint.Request{Method: "POST", URL: address(annotators),
			Body: []byte(sentence.Text)})
	}
	return s
}

// address returns the URL of a request, whose query has the properties of the server.
func address(annotators string) string {
	properties := `{"annotators":"` + pipeline(annotators) + `","outputFormat":"json"}`
	return "http://127.0.0.1:{port}/?properties=" + url.QueryEscape(properties)
}

// pipeline returns the annotators of the server for a level of the factor: the level with those that it needs.
func pipeline(annotators string) string {
	if annotators == pos {
		return "tokenize,pos"
	}
	return "tokenize,pos," + annotators
}

// command returns the command of the server. It is ready when it has loaded its models.
func (in install) command(p plan.Point, annotators string) []string {
	return []string{in.java, "-Xmx" + p.Text("heap"), "-XX:+ExitOnOutOfMemoryError", "-XX:-UsePerfData",
		"-cp", in.classPath(), Class, "-port", "{port}", "-threads", strconv.Itoa(p.Int("threads")),
		"-timeout", strconv.FormatInt(timeout.Milliseconds(), 10), "-quiet", "true",
		"-preload", pipeline(annotators)}
}
