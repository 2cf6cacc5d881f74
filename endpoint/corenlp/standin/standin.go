// Package standin imitates CoreNLP's server for tests, which have no Java. It takes the command line of package corenlp
// and answers the stored sentences with their stored parses. It is no parser: its speed says nothing of CoreNLP's.
package standin

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/brewput/brewput/endpoint/corenlp"
)

// Mode is the name of the environment variable that holds one of the modes.
const Mode = "BREWPUT_STANDIN"

// The modes. Without a mode, every reply is right.
const (
	Swapped    = "swapped"     // answers as if another annotator had been asked for
	NeverReady = "never-ready" // accepts no connection
	Hangs      = "hangs"       // does not reply to sentences
	Fails      = "fails"       // replies to sentences with status 500
	Dies       = "dies"        // ends when it gets its twentieth sentence
	Refuses    = "refuses"     // ends at once, as Java does if the heap is too large for the machine
)

const (
	lastSentence = 20 // at which a server of the mode Dies ends
	exitMemory   = 3  // status of Java when memory is full
	maxText      = 1 << 16
)

// Serves reports whether a command line, without the name of the program, starts the server.
func Serves(args []string) bool { return slices.Contains(args, corenlp.Class) }

// Run serves as the command line says until the process gets SIGTERM, and returns the exit status.
func Run(args []string, mode string, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	switch mode {
	case Refuses:
		fmt.Fprintln(stderr, "Error: Could not create the Java Virtual Machine.")
		return 1
	case NeverReady:
		<-ctx.Done()
		return 0
	}

	threads, err := strconv.Atoi(after(args, "-threads"))
	if err != nil || threads < 1 {
		fmt.Fprintf(stderr, "standin: -threads %q\n", after(args, "-threads"))
		return 1
	}
	listener, err := net.Listen("tcp", ":"+after(args, "-port")) // on all addresses, as CoreNLP
	if err != nil {
		fmt.Fprintln(stderr, "standin:", err)
		return 1
	}
	s := &server{mode: mode, places: make(chan struct{}, threads), ended: ctx, end: stop}
	web := &http.Server{Handler: s.routes()}
	context.AfterFunc(ctx, func() { web.Close() })
	if err := web.Serve(listener); err != http.ErrServerClosed {
		fmt.Fprintln(stderr, "standin:", err)
		return 1
	}
	if s.full.Load() {
		fmt.Fprintln(stderr, "Terminating due to java.lang.OutOfMemoryError: Java heap space")
		return exitMemory
	}
	return 0
}

// after returns the word after another, or "".
func after(words []string, word string) string {
	if i := slices.Index(words, word); i >= 0 && i+1 < len(words) {
		return words[i+1]
	}
	return ""
}

// Install makes files of the sizes of CoreNLP's jars in a directory. They take no space on most file systems.
func Install(dir string) error {
	for _, j := range corenlp.Jars() {
		name := filepath.Join(dir, j.Name())
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			return err
		}
		if err := os.Truncate(name, j.Bytes); err != nil {
			return err
		}
	}
	return nil
}

// server answers requests.
type server struct {
	mode   string
	places chan struct{} // one for each thread
	parsed atomic.Int64
	full   atomic.Bool // memory is full
	ended  context.Context
	end    func() // ends the server
}

// routes returns the handler of all requests.
func (s *server) routes() http.Handler {
	mux := http.NewServeMux()
	for _, word := range []string{"live", "ready"} {
		mux.HandleFunc("/"+word, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, word) })
	}
	mux.HandleFunc("/", s.parse)
	return mux
}

// parse answers a sentence.
func (s *server) parse(w http.ResponseWriter, r *http.Request) {
	s.places <- struct{}{}
	defer func() { <-s.places }()
	var text strings.Builder
	if _, err := io.Copy(&text, http.MaxBytesReader(w, r.Body, maxText)); err != nil {
		return
	}
	switch n := s.parsed.Add(1); {
	case s.mode == Dies && n == lastSentence:
		s.full.Store(true)
		s.end()
		panic(http.ErrAbortHandler)
	case s.mode == Hangs:
		select {
		case <-r.Context().Done():
		case <-s.ended.Done():
		}
		return
	case s.mode == Fails:
		http.Error(w, "java.lang.IllegalStateException", http.StatusInternalServerError)
		return
	}

	body, err := s.reply(text.String(), r.URL.Query().Get("properties"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json;charset=UTF-8")
	w.Write(body)
}

// dependency and token are parts of CoreNLP's JSON.
type (
	dependency struct {
		Relation  string `json:"dep"`
		Governor  int    `json:"governor"`
		Dependent int    `json:"dependent"`
	}
	token struct {
		Index int    `json:"index"`
		Tag   string `json:"pos,omitempty"`
	}
	sentence struct {
		Index        int          `json:"index"`
		Tree         string       `json:"parse,omitempty"`
		Dependencies []dependency `json:"basicDependencies,omitempty"`
		Tokens       []token      `json:"tokens"`
	}
)

// reply returns the JSON for a stored sentence.
func (s *server) reply(text, properties string) ([]byte, error) {
	var asked struct{ Annotators, OutputFormat string }
	if err := json.Unmarshal([]byte(properties), &asked); err != nil || asked.OutputFormat != "json" {
		return nil, fmt.Errorf("standin: properties %.200q", properties)
	}
	all := corenlp.Sentences()
	i := slices.IndexFunc(all, func(known corenlp.Sentence) bool { return known.Text == text })
	if i < 0 {
		return nil, fmt.Errorf("standin: %.100q is no stored sentence", text)
	}
	known, out := all[i], sentence{}
	for n, tag := range strings.Fields(known.Tags) {
		out.Tokens = append(out.Tokens, token{n + 1, tag})
	}

	annotators := strings.TrimPrefix(asked.Annotators, "tokenize,pos")
	if s.mode == Swapped {
		annotators = map[string]string{"": ",parse", ",parse": ",depparse", ",depparse": ",parse"}[annotators]
	}
	switch annotators {
	case "":
	case ",parse":
		out.Tree = strings.ReplaceAll(known.Tree, " (", "\n  (")
		out.Dependencies = dependencies(known.Parse)
	case ",depparse":
		out.Dependencies = dependencies(known.Depparse)
	default:
		return nil, fmt.Errorf("standin: annotators %.200q", asked.Annotators)
	}
	return json.MarshalIndent(map[string]any{"sentences": []sentence{out}}, "", "  ")
}

// dependencies converts stored dependencies.
func dependencies(stored string) (list []dependency) {
	for word := range strings.FieldsSeq(stored) {
		relation, numbers, _ := strings.Cut(word, "(")
		d := dependency{Relation: relation}
		fmt.Sscanf(numbers, "%d,%d)", &d.Governor, &d.Dependent)
		list = append(list, d)
	}
	return list
}
