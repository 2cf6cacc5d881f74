package gobench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/internal/input"
)

// textFile creates a file with the given text.
func textFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f.txt")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// keysFile creates a file with keys of configuration before its lines.
func keysFile(keys, lines int) string {
	var b strings.Builder
	for i := range keys {
		fmt.Fprintf(&b, "k%d: v\n", i)
	}
	for i := range lines {
		fmt.Fprintf(&b, "BenchmarkA 1 %d ns/op\n", i)
	}
	return b.String()
}

// TestManyKeys checks that few keys of configuration are read in time linear in the file size, and that too
// many are refused.
func TestManyKeys(t *testing.T) {
	for _, x := range []struct{ keys, lines int }{{2000, 500}, {20_000, 2000}, {maxKeys + 1, 1}} {
		begin := time.Now()
		_, err := ReadFile(t.Context(), textFile(t, keysFile(x.keys, x.lines)))
		if !errors.Is(err, input.ErrRefused) || !strings.Contains(err.Error(), "keys of configuration") ||
			!strings.Contains(err.Error(), "f.txt:") {
			t.Errorf("%d keys: %v", x.keys, err)
		}
		if d := time.Since(begin); d > 10*time.Second {
			t.Errorf("%d keys take %v", x.keys, d)
		}
	}
	f, err := ReadFile(t.Context(), textFile(t, "pkg: p\ngoos: linux\n"+keysFile(maxKeys, 5)))
	if err != nil || len(f.Trials) != 5 || len(f.Common) != maxKeys || f.Config["pkg"] != "p" {
		t.Fatalf("%v of %d keys", err, maxKeys)
	}

	// One after the other, so that no line has many.
	var b strings.Builder
	for i := range maxKeys + 1 {
		fmt.Fprintf(&b, "k%d: v\nBenchmarkA 1 5 ns/op\nk%d:\n", i, i)
	}
	if _, err := ReadFile(t.Context(), textFile(t, b.String())); !errors.Is(err, input.ErrRefused) {
		t.Errorf("keys in turn: %v", err)
	}
}

// TestManyResults checks that a file with too many results or numbers is refused.
func TestManyResults(t *testing.T) {
	line := "BenchmarkA 1 5 ns/op\n"
	if _, err := ReadFile(t.Context(), textFile(t, strings.Repeat(line, maxResults+1))); !errors.Is(err,
		input.ErrRefused) ||
		!strings.Contains(err.Error(), "500000 results") {
		t.Errorf("results: %v", err)
	}
	line = "BenchmarkA 1" + strings.Repeat(" 5 x", 10_000) + "\n"
	if _, err := ReadFile(t.Context(), textFile(t, strings.Repeat(line, maxNumbers/10_000+1))); !errors.Is(err,
		input.ErrRefused) ||
		!strings.Contains(err.Error(), "numbers") {
		t.Errorf("values: %v", err)
	}
}

// TestLongLines checks that a long line of program output is omitted and the numbers of later lines stay right.
// A line of results that is too long is an error.
func TestLongLines(t *testing.T) {
	line := func(begin string, n int) string { return begin + strings.Repeat("x", n-len(begin)) + "\n" }
	first, last := "BenchmarkA 1 5 ns/op\n", "block 4 of r\nBenchmarkA 1 6 ns/op\n"
	for _, c := range []struct {
		text string
		long int
		fail string
	}{
		{first + line("y", 70_000) + last, 1, ""},
		{line("y", 70_000) + line("k: v", maxLine) + first + last, 2, ""},
		{first + line("y", maxLine-1) + last, 0, ""},
		{first + line("BenchmarkB 1 5 ns/op ", maxLine-1) + last, 0, ""},
		{first + last + strings.Repeat("y", 70_000), 1, ""},
		{first + line("BenchmarkB 1 5 ns/op ", maxLine) + last, 0,
			"f.txt:2: the line is longer than 65536 bytes: remove it"},
		{first + line("y", 70_000) + last + line("BenchmarkB 1 ", 70_000), 0,
			"f.txt:5: the line is longer than 65536 bytes: remove it"},
	} {
		f, err := ReadFile(t.Context(), textFile(t, c.text))
		if c.fail != "" {
			if !errors.Is(err, input.ErrRefused) || !strings.HasSuffix(err.Error(), c.fail) {
				t.Errorf("%.20q: %v, want %s", c.text, err, c.fail)
			}
			continue
		}
		if err != nil || f.Long != c.long || len(f.Trials) < 2 || f.Trials[len(f.Trials)-1].Block != 4 {
			t.Errorf("%.20q: %+v, %v", c.text, f, err)
		}
	}
	text := first + line("y", 70_000) + line("z", 70_000) + "block 1000000001 of r\n" + first
	if _, err := ReadFile(t.Context(), textFile(t, text)); err == nil ||
		!strings.Contains(err.Error(), "f.txt:4: block ") {
		t.Errorf("lines left out are not counted: %v", err)
	}
}

// after is a context that is cancelled when it was asked n times.
type after struct {
	context.Context
	n int
}

func (c *after) Err() error {
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}

// TestInterruptedRead checks that an interrupt ends each part of reading.
func TestInterruptedRead(t *testing.T) {
	text := []byte(keysFile(3, 5000))
	reads := len(text)/4096 + 1
	for n := range reads + 7 {
		if _, err := parseFile(&after{t.Context(), n}, "f.txt", text); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d looks: %v", n, err)
		}
	}
	if _, err := parseFile(&after{t.Context(), 2 * reads}, "f.txt", text); err != nil {
		t.Error(err)
	}
}
