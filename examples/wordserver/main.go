// Command wordserver is a small HTTP server to measure: it counts the words of the body of POST /words and answers
// {"words": N}.
//
//	brewput run http --start './wordserver -port {port}' --url http://127.0.0.1:{port}/words --body 'one two'
//
// With -counter split it builds a list of the words first, which costs memory and time. It serves its profiles, so that
// "brewput explain http", with the same flags, names what limits it.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
)

// maxBody is the largest body in bytes.
const maxBody = 16 << 20

func main() {
	port := flag.Int("port", 8080, "loopback port to listen on")
	counter := flag.String("counter", "scan", "how words are counted: scan or split")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *port, *counter); err != nil {
		fmt.Fprintln(os.Stderr, "wordserver:", err)
		os.Exit(1)
	}
}

// run serves until ctx is done.
func run(ctx context.Context, port int, counter string) error {
	h, err := handler(counter)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return err
	}
	s := &http.Server{Handler: h}
	defer context.AfterFunc(ctx, func() { s.Close() })()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// handler returns the handler for a way to count words.
func handler(counter string) (http.Handler, error) {
	count, ok := map[string]func([]byte) int{"scan": scan, "split": split}[counter]
	if !ok {
		return nil, fmt.Errorf("-counter %q is neither scan nor split", counter)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /words", func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			http.Error(w, "cannot read the body", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]int{"words": count(text)})
	})
	mux.HandleFunc("GET /debug/pprof/", pprof.Index) // for: brewput explain http
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return mux, nil
}

// scan counts words without keeping them.
func scan(text []byte) int {
	s := bufio.NewScanner(bytes.NewReader(text))
	s.Buffer(nil, maxBody+1)
	s.Split(bufio.ScanWords)
	n := 0
	for s.Scan() {
		n++
	}
	return n
}

// split counts words by building a list of them.
func split(text []byte) int { return len(strings.Fields(string(text))) }
