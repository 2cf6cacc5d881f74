package cli_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"unsafe"

	"github.com/brewput/brewput/catalog"
	"github.com/brewput/brewput/internal/cli"
)

// run runs the command to its end and returns its exit code and output.
func run(t *testing.T, args ...string) (code int, said string) {
	t.Helper()
	cmd, _ := command(t, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), stderr.String()
}

// TestNoFiles checks that everything that takes a file's name refuses at once what is not a file, by its name, as
// wrong use.
func TestNoFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := errors.Join(syscall.Mkfifo("fifo", 0o600), os.Symlink("/dev/zero", "zero"), os.Mkdir("dir", 0o777),
		os.WriteFile("results.txt", []byte("BenchmarkX 1 1 ns/op\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"fifo", "zero", "dir"} {
		for verb, args := range map[string][]string{
			"explain":      {"explain", file},
			"two":          {"explain", file, file},
			"before":       {"explain", "--before", file, "--after", file},
			"command":      {"explain", "--", "./" + file},
			"allow":        {"gate", "--base", "HEAD", "--max-regression", "5%", "--allow", file, "."},
			"replay-costs": {"sim", "coffee", "--designs", "locking", "--count", "1", "--replay-costs", file},
			"arrivals":     {"run", "coffee", "--designs", "locking", "--arrivals", file, "--count", "1", "--no-twin"},
			"file":         {"run", "words", "--file", file, "--count", "1", "--no-twin"},
			"compare":      {"compare", file, "results.txt"},
			"compared":     {"compare", "results.txt", file},
			"resume":       {"run", "--resume", file},
		} {
			if code, said := run(t, args...); code != 2 || !strings.Contains(said, file) ||
				strings.Contains(said, "goroutine ") {
				t.Errorf("%s of %s: exit %d\n%s", verb, file, code, said)
			}
		}
	}
}

// TestLongLines checks that no parser reads a line of 100 MB.
func TestLongLines(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := errors.Join(os.WriteFile("long", nil, 0o600), os.Truncate("long", 100<<20),
		os.WriteFile("short", []byte("BenchmarkX 1 1 ns/op\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"compare", "short", "long"},
		{"gate", "--base", "HEAD", "--max-regression", "5%", "--allow", "long", "."},
		{"sim", "coffee", "--designs", "locking", "--count", "1", "--replay-costs", "long"},
		{"run", "coffee", "--designs", "locking", "--arrivals", "long", "--count", "1", "--no-twin"},
	} {
		if code, said := run(t, args...); code != 2 || !strings.Contains(said, ", the limit for ") &&
			!strings.Contains(said, "line 1 is longer than 1048576 bytes") || len(said) > 1000 {
			t.Errorf("%v: exit %d, it says %.1000q", args, code, said)
		}
	}
}

// TestInterruptedInput checks that the first interrupt ends a wait for standard input or for a pipe of the shell.
func TestInterruptedInput(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("other", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{"stdin": {"explain", "--", "true"},
		"pipe": {"compare", "/dev/stdin", "other"}} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.WriteString("something came\n"); err != nil {
			t.Fatal(err)
		}
		cmd, markOf := command(t, args...)
		var stderr bytes.Buffer
		cmd.Stdin, cmd.Stderr = r, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		drained(t, r)
		r.Close()
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
		w.Close()
		if code := cmd.ProcessState.ExitCode(); code != 130 ||
			!strings.Contains(stderr.String(), "brewput: interrupted") {
			t.Errorf("%s: exit %d, it says %q", name, code, stderr.String())
		}
		wantNoOrphan(t, markOf)
	}
}

// drained waits until the command has read what was in its pipe.
func drained(t *testing.T, r *os.File) {
	t.Helper()
	conn, err := r.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	for left := 1; left > 0; {
		if err := conn.Control(func(fd uintptr) { left = inPipe(fd) }); err != nil {
			t.Fatal(err)
		}
	}
}

// TestInterruptedFirst checks that an interrupt before the verb began ends the command like any other, and that
// nothing is started.
func TestInterruptedFirst(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := filepath.Join(t.TempDir(), "run")
	var out, said bytes.Buffer
	code := cli.Run(ctx, catalog.All(), []string{"run", "null", "-o", dir}, strings.NewReader(""), &out, &said)
	if _, err := os.Stat(dir); code != 130 || said.String() != "brewput: interrupted\n" || out.Len() > 0 ||
		!os.IsNotExist(err) {
		t.Errorf("exit %d, it says %q and %q; %v", code, out.String(), said.String(), err)
	}
}

// TestPasswords checks that a password in an address is sent to the server and appears nowhere else.
func TestPasswords(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	var asked atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		asked.Store(asked.Load() || user == "me" && password == "secret")
		http.NotFound(w, r)
	}))
	defer server.Close()
	address := strings.Replace(server.URL, "://", "://me:secret@", 1)
	for _, c := range []struct {
		code int
		args []string
	}{
		{4, []string{"explain", address}},
		{4, []string{"explain", "http://me:secret@127.0.0.1:1"}},
		{2, []string{"explain", "ftp://me:secret@host"}},
		{2, []string{"explain", "http://me:sec/secret@host"}},
		{2, []string{"explain", "file:///etc/passwd"}},
		{2, []string{"explain", "file://me:secret@host/x"}},
		{2, []string{"explain", "http:/me:secret@host"}},
		{2, []string{"explain", "--before", address, "--after", address}},
		{2, []string{"compare", address, address}},
		{2, []string{"run", "coffee", "--arrivals", address}},
		{2, []string{"new", address}},
		{2, []string{"new", "x", "--module", address}},
		{2, []string{"explain", "--before", "http://me:x#secret@h", "--after", "HTTP://me:secret/x@h"}},
		{2, []string{"compare", "http://me:x?secret@h", `http://me:"secret@h`}},
		{2, []string{"run", "null", "--resume", "http://me:<secret@h"}},
		{2, []string{"sim", "coffee", "--time-limit", `http://me:"secret@h`}},
		{2, []string{"explain", "http:me:secret@h"}},
		{2, []string{"explain", "//me:secret@h"}},
		{2, []string{"explain", "me:secret@h:80"}},
		{2, []string{"http://me:x#secret@h"}},
		{2, []string{"explain", "--", "http://me:x#secret@h"}},
		{2, []string{"bench", "http://me:x#secret@h"}},
		{2, []string{"new", "http://me:x#secret@h"}},
		{0, []string{"run", "null", "--designs", "job", "--cpus", "1", "--operations", "1", "--count", "1", "--no-twin",
			"-o", "http:/me:secret@run"}},
	} {
		cmd, _ := command(t, c.args...)
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != c.code {
			t.Errorf("%v: exit %d, want %d\n%s", c.args, code, c.code, out)
		}
		if c.code != 0 && strings.Contains(string(out), "secret") { // a run directory keeps the name that it was given
			t.Errorf("%v prints the password:\n%s", c.args, out)
		}
	}
	if !asked.Load() {
		t.Error("the server was not given the password")
	}
	journal, err := os.ReadFile("http:/me:secret@run/journal.ndjson")
	if err != nil || strings.Contains(string(journal), "secret") {
		t.Errorf("the journal holds the password, or %v", err)
	}
}

// TestNewRefuses checks which names and module paths new refuses.
func TestNewRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{"a/b"}, {"/tmp/x"}, {"./x"}, {"../x"}, {"x/"}, {`a\b`}, {""}, {"x\ny"}, {"X"},
		{"x", "--module", "m\nreplace x => y"}, {"x", "--module", "m x"},
		{"x", "--module", "/m"}, {"x", "--module", "m/"}, {"x", "--module", "m//x"}, {"x", "--module", "../m"},
		{"x", "--module", "m\x1b[31m"}, {"x", "--module", "m."},
	} {
		if code, said := run(t, append([]string{"new"}, args...)...); code != 2 || strings.Count(said, "\n") != 1 ||
			strings.Contains(said, "\x1b") {
			t.Errorf("%q: exit %d, it says %q", args, code, said)
		}
	}
	if left, err := os.ReadDir("."); len(left) > 0 || err != nil {
		t.Errorf("it wrote %v, %v", left, err)
	}
	for _, args := range [][]string{{"x"}, {"y-1", "--module", "example.com/~me/y_1.v2"}, {"z", "--module", "z"}} {
		if code, said := run(t, append([]string{"new"}, args...)...); code != 0 {
			t.Errorf("%q: exit %d, it says %q", args, code, said)
		}
	}
}

// TestKilledExplain checks that the next explain removes what a killed one left behind, whatever its target.
func TestKilledExplain(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles")
	}
	tmp, dir := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", tmp)
	t.Setenv("GOFLAGS", "")
	t.Chdir(dir)
	if err := errors.Join(os.WriteFile("go.mod", []byte("module example.com/nest\n\ngo 1.24\n"), 0o600),
		os.WriteFile("main.go", []byte(nest), 0o600)); err != nil {
		t.Fatal(err)
	}
	cmd, markOf := command(t, "explain", "--cpus", "1", "--duration", "10m", "--time-limit", "10m", ".")
	stderr := begun(t, cmd, "running ")
	waitForOthers(t, markOf, cmd.Process.Pid, 2) // the program and its child
	cmd.Process.Kill()
	io.Copy(io.Discard, stderr)
	cmd.Wait()

	if left, err := os.ReadDir(tmp); len(left) == 0 || err != nil || len(alive(markOf)) == 0 {
		t.Fatalf("the kill left nothing behind: %v, %v", left, err)
	}
	run(t, "explain", "main.go.is.not.there")
	if left, err := os.ReadDir(tmp); len(left) > 0 || err != nil {
		t.Errorf("left behind: %v, %v", left, err)
	}
	wantNoOrphan(t, markOf)
}

// nest is a program that starts another and never ends.
const nest = `package main

import (
	"os/exec"
	"time"
)

func main() {
	exec.Command("sleep", "300").Start()
	time.Sleep(time.Hour)
}
`

// inPipe is the number of bytes in a pipe (ioctl FIONREAD).
func inPipe(fd uintptr) int {
	n := int32(0)
	syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCINQ, uintptr(unsafe.Pointer(&n)))
	return int(n)
}
