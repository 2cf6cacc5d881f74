package record

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

type entry struct {
	Build string `json:"build"`
	N     int    `json:"n"`
	Text  string `json:"text,omitempty"`
}

// fromBuild accepts entries of one build.
func fromBuild(build string) func(entry) error {
	return func(e entry) error {
		if e.Build != build {
			return errors.New("of another build")
		}
		return nil
	}
}

// TestContinue checks that Read returns what Append wrote, long lines included, and nothing of a missing file.
func TestContinue(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record")
	if list, err := Read(path, fromBuild("a")); err != nil || list != nil {
		t.Fatalf("no file: %v, %v", list, err)
	}
	want := []entry{{"a", 1, ""}, {"a", 2, strings.Repeat("long ", 1<<18)}, {"a", 3, "line\nline"}}
	for i, e := range want {
		if err := Append(path, e); err != nil {
			t.Fatal(err)
		}
		if list, err := Read(path, fromBuild("a")); err != nil || !slices.Equal(list, want[:i+1]) {
			t.Errorf("after %d: %d entries, %v", i+1, len(list), err)
		}
	}
	if err := Append(path, func() {}); err == nil {
		t.Error("Append accepts a value without JSON")
	}
	if list, err := Read(path, fromBuild("a")); err != nil || !slices.Equal(list, want) {
		t.Errorf("after a value without JSON: %d entries, %v", len(list), err)
	}
}

// TestFaults checks that Read removes an incomplete last line. It reports other faults with file and line, and then
// does not change the file.
func TestFaults(t *testing.T) {
	const one, two = `{"build":"a","n":1}` + "\n", `{"build":"a","n":2}` + "\n"
	for _, c := range []struct {
		name, text, left, want string
		n                      int
	}{
		{"whole", one + two, one + two, "", 2},
		{"empty", "", "", "", 0},
		{"torn", one + two[:9], one, "", 1},
		{"torn before its end", one + two[:len(two)-1], one, "", 1},
		{"torn at its first byte", one + "{", one, "", 1},
		{"torn, the only one", one[:9], "", "", 0},
		{"broken", one + "{\"build\"\n" + two, "", ":2: unexpected end of JSON input", 0},
		{"an empty line", one + "\n" + two, "", ":2: unexpected end of JSON input", 0},
		{"of another build", one + `{"build":"b","n":2}` + "\n" + two, "", ":2: of another build", 0},
		{"of another build, and torn", `{"build":"b","n":1}` + "\n" + two[:9], "", ":1: of another build", 0},
		{"no record", "a note", "", ":1: not an entry", 0},
		{"no record behind an entry", one + "a note", "", ":2: not an entry", 0},
	} {
		path := filepath.Join(t.TempDir(), "record")
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		list, err := Read(path, fromBuild("a"))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), path+c.want)) ||
			len(list) != c.n {
			t.Errorf("%s: %d entries, %v", c.name, len(list), err)
		}
		if c.want != "" {
			c.left = c.text
		}
		if left, err := os.ReadFile(path); err != nil || string(left) != c.left {
			t.Errorf("%s: the file is %q, %v", c.name, left, err)
		}
		if c.want != "" {
			continue
		}
		if err := Append(path, entry{Build: "a", N: 9}); err != nil {
			t.Fatal(err)
		}
		if list, err := Read(path, fromBuild("a")); err != nil || len(list) != c.n+1 || list[c.n].N != 9 {
			t.Errorf("%s: then %v, %v", c.name, list, err)
		}
	}
	if _, err := Read(t.TempDir(), fromBuild("a")); err == nil {
		t.Error("a folder is read")
	}
}

// TestHash compares with a known SHA-256.
func TestHash(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("abc"), 0o666); err != nil {
		t.Fatal(err)
	}
	if sum, err := Hash(path); err != nil || sum != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Errorf("%s, %v", sum, err)
	}
	if _, err := Hash(path + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestPiece checks that a piece ends after its limit, and never without one.
func TestPiece(t *testing.T) {
	if NewPiece(0).Over() || NewPiece(time.Hour).Over() || !NewPiece(1).Over() {
		t.Error("a piece ends at another time")
	}
	var out strings.Builder
	Remaining(&out, 0, "runs")
	if Remaining(&out, 3, "runs"); out.String() != "\n3 runs are left: run the same command again.\n" {
		t.Errorf("%q", out.String())
	}
}

// TestCampaign checks which tasks a piece measures, how it ends, and the exit code that follows.
func TestCampaign(t *testing.T) {
	failure := errors.New("broken")
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name     string
		ctx      context.Context
		piece    Piece
		fails    string // task
		measured string
		left     int
		err      string
		code     int // if what was measured is right
	}{
		{"all", t.Context(), Piece{}, "", "a c ", 0, "", 0},
		{"no time", t.Context(), NewPiece(1), "", "", 2, "", ExitUndecided},
		{"a failure", t.Context(), Piece{}, "a", "a ", 0, "broken", 0},
		{"interrupted", canceled, Piece{}, "a", "a ", 0, "interrupted; what was measured so far is in FILE", 0},
	} {
		measured := ""
		left, err := Continue(c.ctx, "FILE", c.piece, []string{"a", "b", "a", "c"},
			func(task string) bool { return task == "b" || strings.Contains(measured, task) },
			func(task string) error {
				measured += task + " "
				if task == c.fails {
					return failure
				}
				return nil
			})
		if c.name == "no time" {
			left-- // the second a is not done either
		}
		if measured != c.measured || left != c.left || (err == nil) != (c.err == "") ||
			err != nil && err.Error() != c.err {
			t.Errorf("%s: measured %q, %d are left, %v", c.name, measured, left, err)
		}
		var out strings.Builder
		if code := Exit(&out, 0, left, "tasks"); code != c.code || (out.Len() > 0) != (left > 0) {
			t.Errorf("%s: exit code %d, %q", c.name, code, out.String())
		}
	}
	if Exit(io.Discard, ExitBroken, 1, "tasks") != ExitBroken || Worse(0, ExitBroken) != ExitBroken ||
		Worse(ExitUndecided, ExitBroken) != ExitBroken || Worse(ExitUndecided, 0) != ExitUndecided {
		t.Error("a broken check does not outweigh what is undecided")
	}
}
