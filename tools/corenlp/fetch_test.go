package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brewput/brewput/endpoint/corenlp"
	"github.com/brewput/brewput/internal/lock"
)

// content is the file that the repository of the tests has.
func content() []byte { return bytes.Repeat([]byte("0123456789abcdef"), 1<<12) }

// jar describes the file.
func jar() corenlp.Jar {
	sum := sha256.Sum256(content())
	return corenlp.Jar{Path: "org/example/1/example-1.jar", Bytes: int64(len(content())),
		SHA256: hex.EncodeToString(sum[:])}
}

// repository is a Maven repository that misbehaves.
type repository struct {
	asked []string // Range of each request
	serve func(w http.ResponseWriter, r *http.Request, n int)
}

func (m *repository) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.asked = append(m.asked, r.Header.Get("Range"))
	switch {
	case r.URL.Path != "/maven2/"+jar().Path:
		http.NotFound(w, r)
	case m.serve != nil:
		m.serve(w, r, len(m.asked))
	default:
		whole(w, r, 0)
	}
}

// whole serves the file, or the part that is asked for.
func whole(w http.ResponseWriter, r *http.Request, _ int) {
	var from int
	code := http.StatusOK
	if asked := r.Header.Get("Range"); asked != "" {
		fmt.Sscanf(asked, "bytes=%d-", &from)
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(content())-1, len(content())))
		code = http.StatusPartialContent
	}
	w.WriteHeader(code)
	w.Write(content()[from:])
}

// breaks serves at most 20,000 bytes of each request, and promises more.
func breaks(w http.ResponseWriter, r *http.Request, _ int) {
	var from int
	if asked := r.Header.Get("Range"); asked != "" {
		fmt.Sscanf(asked, "bytes=%d-", &from)
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(content())-1, len(content())))
		w.Header().Set("Content-Length", fmt.Sprint(len(content())-from))
		w.WriteHeader(http.StatusPartialContent)
	}
	w.Write(content()[from:min(from+20_000, len(content()))])
}

// TestFetch checks what a run fetches, prints and leaves, for each state of the directory and each repository.
func TestFetch(t *testing.T) {
	damaged := content()
	damaged[7]++
	for _, c := range []struct {
		name       string
		file, part []byte // before; nil: not there
		serve      func(w http.ResponseWriter, r *http.Request, n int)
		code       int
		asked      string // ranges
		printed    string
	}{
		{name: "nothing there", asked: `[""]`, printed: "fetching 65536 bytes"},
		{name: "already there", file: content(), asked: `[]`, printed: "already there"},
		{name: "damaged", file: damaged, asked: `[""]`, printed: "SHA-256"},
		{name: "too short", file: content()[1:], asked: `[""]`, printed: "65535 bytes instead of 65536"},
		{name: "interrupted", part: content()[:1000], asked: `["bytes=1000-"]`, printed: "fetched"},
		{name: "interrupted before the check", part: content(), asked: `[]`, printed: "fetched"},
		{name: "a part that is too long", part: append(content(), 1), asked: `[""]`, printed: "fetched"},
		{name: "a repository without ranges", part: content()[:1000], asked: `["bytes=1000-"]`,
			serve: func(w http.ResponseWriter, r *http.Request, _ int) { w.Write(content()) }, printed: "fetched"},
		{name: "connections that break", serve: breaks, asked: `["" "bytes=20000-" "bytes=40000-" "bytes=60000-"]`,
			printed: "fetched"},
		{name: "a damaged part", part: damaged[:1000], code: 4, asked: `["bytes=1000-"]`,
			printed: "the repository sent something else, so it was removed"},
		{name: "another file", code: 4, asked: `[""]`, printed: "SHA-256",
			serve: func(w http.ResponseWriter, r *http.Request, _ int) { w.Write(damaged) }},
		{name: "a longer file", asked: `[""]`, printed: "fetched",
			serve: func(w http.ResponseWriter, r *http.Request, _ int) { w.Write(append(content(), damaged...)) }},
		{name: "another part", part: content()[:1000], code: 4, asked: `["bytes=1000-"]`, printed: "sends another part",
			serve: func(w http.ResponseWriter, r *http.Request, _ int) {
				w.Header().Set("Content-Range", "bytes 0-9/65536")
				w.WriteHeader(http.StatusPartialContent)
			}},
		{name: "not found", code: 4, asked: `[""]`, printed: "answers 404 Not Found",
			serve: func(w http.ResponseWriter, r *http.Request, _ int) { http.NotFound(w, r) }},
		{name: "overloaded for a while", asked: `["" ""]`, printed: "fetched",
			serve: func(w http.ResponseWriter, r *http.Request, n int) {
				if n == 1 {
					http.Error(w, "later", http.StatusServiceUnavailable)
					return
				}
				whole(w, r, n)
			}},
		{name: "connections that always break", code: 4, asked: `["" "" "" "" ""]`, printed: "connection",
			serve: func(w http.ResponseWriter, r *http.Request, _ int) { panic(http.ErrAbortHandler) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &repository{serve: c.serve}
			server := httptest.NewServer(m)
			defer server.Close()
			dir := t.TempDir()
			file := filepath.Join(dir, jar().Name())
			for name, text := range map[string][]byte{file: c.file, file + ".part": c.part} {
				if text != nil {
					if err := os.WriteFile(name, text, 0o666); err != nil {
						t.Fatal(err)
					}
				}
			}
			var out strings.Builder
			args := []string{"-dir", dir, "-from", server.URL + "/maven2/"}
			if code := run(t.Context(), []corenlp.Jar{jar()}, args, &out, &out); code != c.code {
				t.Errorf("exit %d, want %d", code, c.code)
			}
			printed := strings.ReplaceAll(out.String(), "EOF", "connection") // as package net/http words it
			if asked := fmt.Sprintf("%q", m.asked); asked != c.asked || !strings.Contains(printed, c.printed) {
				t.Errorf("asked for %s, want %s; printed %s", asked, c.asked, printed)
			}
			if text, err := os.ReadFile(file); c.code == 0 && (err != nil || !bytes.Equal(text, content())) {
				t.Errorf("the file has %d bytes, %v", len(text), err)
			} else if c.code != 0 && err == nil {
				t.Error("there is a file after a failure")
			}
			if _, err := os.Stat(file + ".part"); c.code == 0 && err == nil {
				t.Error("a part is left")
			}
		})
	}
}

// TestTwice checks that two processes do not fetch into a directory at the same time.
func TestTwice(t *testing.T) {
	dir := t.TempDir()
	held, err := lock.Lock(filepath.Join(dir, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	var out strings.Builder
	if code := run(t.Context(), []corenlp.Jar{jar()}, []string{"-dir", dir}, &out, &out); code != 4 ||
		!strings.Contains(out.String(), "wait for the other process") {
		t.Errorf("exit %d: %s", code, out.String())
	}
}

// TestInterrupted checks that an interrupt ends a fetch at once and keeps what is there.
func TestInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	m := &repository{serve: func(w http.ResponseWriter, r *http.Request, _ int) {
		w.Write(content()[:20_000])
		w.(http.Flusher).Flush()
		stop()
		<-r.Context().Done()
	}}
	server := httptest.NewServer(m)
	defer server.Close()
	var out strings.Builder
	dir := t.TempDir()
	code := run(ctx, []corenlp.Jar{jar()}, []string{"-dir", dir, "-from", server.URL + "/maven2"}, &out, &out)
	if code != 4 || !strings.Contains(out.String(), "context canceled") || len(m.asked) != 1 {
		t.Errorf("exit %d after %d requests: %s", code, len(m.asked), out.String())
	}
}

// quiet is a connection that sends nothing in its first requests, or stops after some bytes.
type quiet struct {
	requests int   // that are silent
	first    []int // bytes of each request before the silence; -1 means not even a status
	asked    []string
}

func (q *quiet) RoundTrip(r *http.Request) (*http.Response, error) {
	n := len(q.asked)
	q.asked = append(q.asked, r.Header.Get("Range"))
	if n < q.requests && q.first[n] < 0 {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	w := httptest.NewRecorder()
	whole(w, r, 0)
	reply := w.Result()
	if n < q.requests {
		reply.Body = io.NopCloser(io.MultiReader(io.LimitReader(reply.Body, int64(q.first[n])), silence{r.Context()}))
	}
	return reply, nil
}

// silence is a body of which nothing arrives.
type silence struct{ context.Context }

func (s silence) Read([]byte) (int, error) {
	<-s.Done()
	return 0, s.Err()
}

// slow is a connection that sends each part after some time, until its request is canceled.
type slow struct {
	io.Reader
	request *http.Request
}

func (s slow) Read(p []byte) (int, error) {
	time.Sleep(patience - time.Second)
	if err := s.request.Context().Err(); err != nil {
		return 0, err
	}
	return s.Reader.Read(p[:min(len(p), 8192)])
}

func (s slow) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	whole(w, r, 0)
	reply := w.Result()
	reply.Body = io.NopCloser(slow{reply.Body, r})
	return reply, nil
}

// TestSilent checks that a repository that sends nothing, before its reply or within it, counts as a broken connection
// after a minute, that the next request continues, and that a slow one is no silent one.
func TestSilent(t *testing.T) {
	for _, c := range []struct {
		connection http.RoundTripper
		asked      string
		takes      time.Duration
		fails      string
	}{
		{&quiet{requests: 2, first: []int{-1, 20_000}}, `["" "" "bytes=20000-"]`, 2 * patience, ""},
		{&quiet{requests: 5, first: []int{-1, 0, 1, -1, 1}}, `["" "" "" "bytes=1-" "bytes=1-"]`, 5 * patience,
			"example-1.jar: the repository sent nothing for 1m0s"},
		{slow{}, "", 9 * (patience - time.Second), ""}, // 8 parts and the end
	} {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			f := fetcher{dir: dir, from: "http://maven.test/maven2", stdout: io.Discard, patience: patience,
				client: http.Client{Transport: c.connection}}
			began, failure := time.Now(), ""
			if err := f.fetch(t.Context(), []corenlp.Jar{jar()}); err != nil {
				failure = err.Error()
			}
			if failure != c.fails || time.Since(began) > c.takes {
				t.Errorf("%+v: %q after %v", c, failure, time.Since(began))
			}
			if q, ok := c.connection.(*quiet); ok && fmt.Sprintf("%q", q.asked) != c.asked {
				t.Errorf("asked for %q, want %s", q.asked, c.asked)
			}
		})
	}
}

// TestUsage checks the exit code of a wrong command line.
func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"more"}, {"-speed", "2"}, {"-dir", ""}} {
		var out strings.Builder
		if code := run(t.Context(), nil, args, &out, &out); code != 2 || out.Len() == 0 {
			t.Errorf("%q: exit %d, %q", args, code, out.String())
		}
	}
}

// TestNoCacheDirectory checks that a user without a cache directory must name one, and that this suffices.
func TestNoCacheDirectory(t *testing.T) {
	for _, name := range []string{"HOME", "home", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, "")
	}
	var out strings.Builder
	if code := run(t.Context(), nil, nil, &out, &out); code != 2 || !strings.HasSuffix(out.String(),
		"; give -dir DIRECTORY\n") {
		t.Errorf("exit %d, %q", code, out.String())
	}
	out.Reset()
	dir := t.TempDir()
	want := "CoreNLP 4.5.7 is in " + dir + "\n"
	if code := run(t.Context(), nil, []string{"-dir", dir}, &out, &out); code != 0 || out.String() != want {
		t.Errorf("exit %d, %q", code, out.String())
	}
}
