package endpoint

import (
	"os"
	"slices"
	"testing"

	"github.com/brewput/brewput/workload"
)

// TestFiles: a workload names the files that decide what it measures, also those that a file of targets names.
func TestFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "all", "POST http://127.0.0.1:{port}/\n@b\n\nPOST http://127.0.0.1:{port}/\n@a\n\nPOST http://127.0.0.1:{port}/\n@b\n")
	write(t, "a", "1")
	write(t, "b", "2")
	write(t, "server", "#!/bin/sh\n")
	if err := os.Chmod("server", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ options, want []string }{
		{[]string{"url=http://127.0.0.1/"}, nil},
		{[]string{"url=http://127.0.0.1/", "body-file=a"}, []string{"a"}},
		{[]string{"targets=all", "start=./server {port}"}, []string{"all", "a", "b", "./server"}},
		{[]string{"url=http://127.0.0.1:{port}/", "a=./server {port}", "b=env X=1 ./server {port}"},
			[]string{"./server", "./server"}},
		{[]string{"url=http://127.0.0.1:{port}/", "start=./nothing {port}"}, []string{"./nothing"}},
		{[]string{"url=http://127.0.0.1:{port}/", "start=nothing-there {port}"}, nil},
		{[]string{"url=http://127.0.0.1:{port}/", "start=env '' ./server {port}"}, nil},
		{[]string{"url=http://127.0.0.1:{port}/", "start=/usr/bin/env -i X=1 ./server {port}"}, []string{"./server"}},
		{[]string{"url=http://127.0.0.1:{port}/", "start=x=7/server {port}"}, []string{"x=7/server"}},
	} {
		w, err := made(x.options...)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.Files(); !slices.Equal(got, x.want) {
			t.Errorf("%q: %q", x.options, got)
		}
	}
	given := workload.Given{"target": {"127.0.0.1:{port}"}, "method": {"a.B/C"}, "data-file": {"a"},
		"descriptor-set": {"b"}, "start": {"./server {port}"}}
	w, err := RPCWorkload(nil).With(given)
	if err != nil {
		t.Fatal(err)
	}
	if got := w.Files(); !slices.Equal(got, []string{"a", "b", "./server"}) {
		t.Errorf("grpc: %q", got)
	}
}
