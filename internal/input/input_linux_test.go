package input

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestRefused checks that a file that is not regular is refused at once, with its name, its type and what to
// do.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := syscall.Mkfifo(at("fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"zero": "/dev/zero", "tofifo": at("fifo"), "todir": dir} {
		if err := os.Symlink(target, at(name)); err != nil {
			t.Fatal(err)
		}
	}
	socket, err := net.Listen("unix", at("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()

	for path, want := range map[string]string{
		at("fifo"): "is a named pipe", at("tofifo"): "is a named pipe", "/dev/zero": "is a device",
		at("zero"): "is a device", "/dev/null": "is a device",
		dir: "is a directory", at("todir"): "is a directory", "/dev/fd": "is a directory",
	} {
		for kind := Profile; kind <= Copied; kind++ {
			_, err := ReadFile(t.Context(), path, kind)
			if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), path+" "+want) {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	if _, err := Open(t.Context(), at("socket"), Profile); err == nil {
		t.Error("a socket is opened")
	}
	if _, err := Open(t.Context(), at("nowhere"), Profile); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
}

// sparse creates a file of the given number of zeros, which takes no space.
func sparse(t *testing.T, size int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sparse")
	f, err := os.Create(path)
	if err == nil {
		err = errors.Join(f.Truncate(size), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTooLarge checks that a file beyond its limit is refused before any byte is read.
func TestTooLarge(t *testing.T) {
	for kind := Profile; kind <= Copied; kind++ {
		path := sparse(t, kind.Bytes()+1)
		_, err := Open(t.Context(), path, kind)
		if l := kind.limits(); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), path) ||
			!strings.Contains(err.Error(), l.what) || !strings.Contains(err.Error(), l.do) {
			t.Errorf("kind %d: %v", kind, err)
		}
		f, err := Open(t.Context(), sparse(t, kind.Bytes()), kind)
		if err != nil {
			t.Errorf("kind %d at its limit: %v", kind, err)
			continue
		}
		f.Close()
	}
}

// TestGrown checks that a file that grows while it is read is refused at the limit.
func TestGrown(t *testing.T) {
	path := sparse(t, AllowList.Bytes())
	f, err := Open(t.Context(), path, Settings)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Truncate(path, Settings.Bytes()+1); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, f); !errors.Is(err, ErrRefused) {
		t.Errorf("%v", err)
	}
}

// TestLongLine checks that a line of 100 MB is refused once it exceeds the limit of its kind.
func TestLongLine(t *testing.T) {
	path := sparse(t, 100*mb)
	_, err := ReadFile(t.Context(), path, Benchmarks)
	if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), path+":1: the line has more than 1 MB") {
		t.Errorf("%v", err)
	}
	text := "a\n\n" + strings.Repeat("x", int(16*kb)) + "\ny\n"
	for n, want := range map[int]string{0: "", 1: "list:3: the line has more than 16 KB"} {
		_, err := ReadAll(t.Context(), strings.NewReader(strings.Replace(text, "x", strings.Repeat("x", n+1), 1)),
			"list", AllowList)
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%d bytes more: %v", n, err)
		}
	}
}

// endless is a reader without end; it calls end at a certain read.
type endless struct {
	reads, endAt int
	end          func()
}

func (e *endless) Read(p []byte) (int, error) {
	if e.reads++; e.reads == e.endAt {
		e.end()
	}
	return len(p), nil
}

// TestEndless checks that an endless input is refused at its limit, and stops at an interrupt.
func TestEndless(t *testing.T) {
	var got bytes.Buffer
	if _, err := Copy(t.Context(), &got, &endless{}, "standard input", Settings); !errors.Is(err, ErrRefused) ||
		got.Len() > int(Settings.Bytes()) {
		t.Errorf("%d bytes, %v", got.Len(), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	in := &endless{endAt: 3, end: cancel}
	if _, err := Copy(ctx, io.Discard, in, "standard input", Stdin); !errors.Is(err, context.Canceled) || in.reads > 4 {
		t.Errorf("%d reads, %v", in.reads, err)
	}
}

// TestInterrupt checks that an interrupt ends the reading of an empty pipe.
func TestInterrupt(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	in := NewReader(ctx, r, "a pipe", Stdin)
	go func() {
		w.Write([]byte("x"))
		cancel()
	}()
	if text, err := io.ReadAll(in); string(text) != "x" && string(text) != "" || !errors.Is(err, context.Canceled) {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := in.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("afterwards: %v", err)
	}
	if _, err := ReadFile(ctx, os.Args[0], Program); !errors.Is(err, context.Canceled) {
		t.Errorf("a file: %v", err)
	}
}

// TestInheritedPipe checks that the output of a shell's <(command) is copied, and can be read again and
// anywhere.
func TestInheritedPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	go func() {
		w.WriteString("one\ntwo\n")
		w.Close()
	}()
	f, err := Open(t.Context(), "/dev/fd/"+fd(r), AllowList)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if text, err := io.ReadAll(f); string(text) != "one\ntwo\n" || err != nil || f.Size() != 8 {
		t.Errorf("%q of %d, %v", text, f.Size(), err)
	}
	word := make([]byte, 3)
	if _, err := f.ReadAt(word, 4); string(word) != "two" || err != nil {
		t.Errorf("%q, %v", word, err)
	}
}

// TestEndlessPipe checks that an endless inherited pipe is refused at the limit, and that reading an empty one
// stops at an interrupt.
func TestEndlessPipe(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for block := make([]byte, chunk); err == nil; {
			_, err = w.Write(block)
		}
	}()
	if _, err := Open(t.Context(), "/proc/self/fd/"+fd(r), Settings); !errors.Is(err, ErrRefused) {
		t.Errorf("%v", err)
	}
	r.Close()

	if r, w, err = os.Pipe(); err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer context.AfterFunc(t.Context(), cancel)()
	go cancel()
	if _, err := Open(ctx, "/dev/fd/"+fd(r), Settings); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if left, err := os.ReadDir(os.TempDir()); len(left) > 0 || err != nil {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// fd returns the descriptor of a file and leaves its mode as it is.
func fd(f *os.File) string {
	number := ""
	conn, err := f.SyscallConn()
	if err == nil {
		conn.Control(func(n uintptr) { number = itoa(n) })
	}
	return number
}

func itoa(n uintptr) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

func TestRedact(t *testing.T) {
	for text, want := range map[string]string{
		"http://me:secret@host:6060/debug":         "http://***@host:6060/debug",
		"asking HTTPS://token@host, and then":      "asking HTTPS://***@host, and then",
		`parse "http:/me:secret@host": wrong`:      `parse "http:/***@host": wrong`,
		"postgres://u:p%40q@db/x and http://a:b@c": "postgres://***@db/x and http://***@c",
		"http://me:a@b@host/":                      "http://***@host/",
		"no http://me:x#s3cret@h, nor":             "no http://***@h, nor",
		"http://me:x?s3cret@h":                     "http://***@h",
		`http://me:"s3cret@h`:                      "http://***@h",
		`"http://me:\"s3cret@h": wrong`:            `"http://***@h": wrong`,
		"http://me:<s3cret@h":                      "http://***@h",
		"HTTP://me:s3cret/x@h:80/y":                "HTTP://***@h:80/y",
		"http://host:80/x?y=z, me@host":            "http://host:80/x?y=z, me@host",
		"http://host/a:b@v1.2.3":                   "http://host/a:b@v1.2.3",
		"http://host/module@v1.2.3":                "http://host/module@v1.2.3",
		"http://127.0.0.1:1/debug/a@b":             "http://127.0.0.1:1/debug/a@b",
		"http://[::1]:6060/a:b@c?d@e":              "http://[::1]:6060/a:b@c?d@e",
		"http://h:80/?u=http://me:s3cret@h/a@b":    "http://h:80/?u=http://***@b",
		"http://h:80/a@b http://me:s3cret@h":       "http://h:80/a@b http://***@h",
		"http://me:1@h:80/a@b":                     "http://***@b",
		"http://me:123456/s3cret@h":                "http://***@h",
		"http://me:12s3cret/x@h":                   "http://***@h",
		"http://me:12?s3cret/x@h":                  "http://***@h",
		"http://:80/s3cret@h":                      "http://***@h",
		"http://token@h:80/a@b":                    "http://***@b",
		"mail me@host, module m@v1":                "mail me@host, module m@v1",
	} {
		if got := Redact(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// TestRedactWords checks that an address may lack its scheme.
func TestRedactWords(t *testing.T) {
	for text, want := range map[string]string{
		"http:me:s3cret@h is no file":         "***@h is no file",
		"stat //me:s3cret@h: no such file":    "stat ***@h: no such file",
		"me:s3cret@h:80":                      "***@h:80",
		"http://me:s3/cret@h":                 "***@h",
		"example.com/module@v1.2.3: no, me@h": "example.com/module@v1.2.3: no, me@h",
	} {
		if got := RedactWords(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// FuzzReader checks that, for any sizes of reads, the output is a prefix of the input, and all of it if there
// is no error.
func FuzzReader(f *testing.F) {
	f.Add([]byte("a\nb"), 1)
	f.Add(bytes.Repeat([]byte("x"), 17*kb), 7)
	f.Fuzz(func(t *testing.T, text []byte, at int) {
		at = max(1, min(at, 64*kb))
		in := NewReader(t.Context(), bytes.NewReader(text), "fuzz", AllowList)
		var got []byte
		for p := make([]byte, at); ; {
			n, err := in.Read(p)
			got = append(got, p[:n]...)
			if err == io.EOF {
				break
			}
			if err != nil {
				if !errors.Is(err, ErrRefused) {
					t.Fatal(err)
				}
				long := false
				for line := range bytes.SplitSeq(text, []byte{'\n'}) {
					long = long || len(line) > 16*kb
				}
				if !long && int64(len(text)) <= AllowList.Bytes() {
					t.Fatalf("refused: %v", err)
				}
				return
			}
		}
		if !bytes.Equal(got, text) {
			t.Fatalf("%d bytes of %d", len(got), len(text))
		}
	})
}
