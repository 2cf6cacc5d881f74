package store

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/brewput/brewput/internal/store/storetest"
	"github.com/brewput/brewput/result"
)

// linesOf returns the lines of a file of a run, with their newlines.
func linesOf(t testing.TB, dir, name string) [][]byte {
	t.Helper()
	all := bytes.SplitAfter(get(os.ReadFile(filepath.Join(dir, name)))(t), []byte("\n"))
	return all[:len(all)-1]
}

// put writes a file of a run.
func put(t testing.TB, dir, name string, lines [][]byte) {
	t.Helper()
	replace(t, filepath.Join(dir, name), bytes.Join(lines, nil))
}

// TestChangedLine checks that a line that was changed, lost, doubled or moved is reported by its number.
func TestChangedLine(t *testing.T) {
	dir := write(t, sweep())
	whole := linesOf(t, dir, journalName)
	path := filepath.Join(dir, journalName)
	for i, line := range whole {
		at := fmt.Sprintf("%s:%d:", path, i+1)
		for _, change := range [][2]string{{`"kind"`, `"kine"`}, {`"schema_version":1`, `"schema_version":9`},
			{`"block":1`, `"block":3`}, {`1.5`, `2.5`}, {`9551615`, `9551614`}, {`"crc":"`, `"crc":"0`}} {
			changed := bytes.Replace(line, []byte(change[0]), []byte(change[1]), 1)
			if bytes.Equal(changed, line) {
				continue
			}
			put(t, dir, journalName, slices.Replace(slices.Clone(whole), i, i+1, changed))
			_, err := Open(dir)
			if i == 0 && change[0] == `"crc":"` {
				wantError(t, err, path+":1: its checksum is not at its end")
				continue
			}
			wantError(t, err, at)
			if strings.Contains(err.Error(), "update") {
				t.Errorf("a changed version is taken for a newer one: %v", err)
			}
		}
		if i > 0 {
			put(t, dir, journalName, slices.Insert(slices.Clone(whole), i, line))
			_, err := Open(dir)
			wantError(t, err, fmt.Sprintf("%s:%d:", path, i+2))
		}
		if i > 0 && i < len(whole)-1 {
			put(t, dir, journalName, slices.Delete(slices.Clone(whole), i, i+1))
			_, err := Open(dir)
			wantError(t, err, at, "lost", "again with resume "+dir)
		}
	}
}

// TestRewritten checks that damage of every line, as by an editor or a transfer, does not pass for a run that
// is older than checksums.
func TestRewritten(t *testing.T) {
	for what, change := range map[string]func(line []byte) []byte{
		"CRLF":    func(line []byte) []byte { return bytes.Replace(line, []byte("\n"), []byte("\r\n"), 1) },
		"blank":   func(line []byte) []byte { return bytes.Replace(line, []byte("\n"), []byte(" \n"), 1) },
		"member":  func(line []byte) []byte { return bytes.Replace(line, []byte("}\n"), []byte(",\"x\":1}\n"), 1) },
		"indent":  func(line []byte) []byte { return bytes.Replace(line, []byte(`"crc":`), []byte(`"crc": `), 1) },
		"capital": func(line []byte) []byte { return bytes.Replace(line, []byte(`"crc":"`), []byte(`"crc":"A`), 1) },
	} {
		dir := write(t, sweep())
		path := filepath.Join(dir, journalName)
		var lines [][]byte
		for _, line := range linesOf(t, dir, journalName) {
			lines = append(lines, change(line))
		}
		put(t, dir, journalName, lines)
		if _, err := Open(dir); err == nil {
			t.Errorf("%s: no error", what)
		} else {
			wantError(t, err, path+":1: its checksum is not at its end", restoreHint)
		}
	}
}

// TestEmptied checks that a journal that lost its lines does not pass for a new one if there are histograms.
func TestEmptied(t *testing.T) {
	for _, text := range []string{"", "CR", `{"kind":"run",`} {
		dir := write(t, sweep())
		path := filepath.Join(dir, journalName)
		if text == "CR" {
			text = string(bytes.ReplaceAll(get(os.ReadFile(path))(t), []byte("\n"), []byte("\r")))
		}
		replace(t, path, []byte(text))
		_, err := Open(dir)
		wantError(t, err, path+" holds no whole line", histogramsName, restoreHint)
		if err := CheckVacant(dir); err == nil {
			t.Errorf("%.9q: a run may begin there", text)
		}
	}
}

// TestForged changes a line and corrects its checksum and those of all later lines. The seal reveals the
// change.
func TestForged(t *testing.T) {
	for _, name := range []string{journalName, histogramsName} {
		dir := write(t, sweep())
		lines, c := linesOf(t, dir, name), chain{checked: true}
		for i, line := range lines {
			body := bytes.Replace(line[:len(line)-crcLength], []byte("1.5"), []byte("2.5"), 1)
			body = bytes.Replace(body, []byte(`"data":null`), []byte(`"data":{}`), 1)
			if name == journalName && i == 0 {
				continue
			}
			line, crc := c.sign(append(body, "}\n"...), c.journal)
			if s, err := readSeal(line, c.journal); err == nil {
				crc = s.crc
			}
			lines[i], c.journal = line, crc
		}
		put(t, dir, name, lines)
		_, err := Open(dir)
		wantError(t, err, filepath.Join(dir, journalName)+":4:", "digest", restoreHint)
	}
}

// TestOtherHeader replaces the header by that of another run, or by a changed one with a correct checksum. The
// first seal reveals it.
func TestOtherHeader(t *testing.T) {
	for _, steps := range [][]step{sweep(), sweep()[:6]} {
		dir := write(t, steps)
		whole := linesOf(t, dir, journalName)
		body := bytes.Replace(whole[0][:len(whole[0])-crcLength], []byte("coffee"), []byte("tea"), 1)
		other, _ := (&chain{checked: true}).sign(append(body, "}\n"...), 0)
		if bytes.Equal(other, whole[0]) {
			t.Fatal("the header is the same")
		}
		put(t, dir, journalName, slices.Replace(slices.Clone(whole), 0, 1, other))
		_, err := Open(dir)
		wantError(t, err, filepath.Join(dir, journalName)+":4:", "the header is that of another run", restoreHint)
		_, _, err = resume(dir, withoutSync)
		wantError(t, err, filepath.Join(dir, journalName)+":4:", "the header is that of another run", restoreHint)
	}
}

// TestHeadersOfEqualTrials checks that runs that differ only in their headers have equal lines of trials and
// different seals.
func TestHeadersOfEqualTrials(t *testing.T) {
	dirs := [2]string{write(t, sweep()), filepath.Join(t.TempDir(), "tea")}
	r := get(create(dirs[1], map[string]string{"target": "tea"}, withoutSync))(t)
	for _, s := range sweep() {
		must(t, s.do(r))
	}
	must(t, r.Close())
	a, b := linesOf(t, dirs[0], journalName), linesOf(t, dirs[1], journalName)
	for i := 1; i < len(a); i++ {
		if sealed := bytes.Contains(a[i], []byte(digestMember)); sealed == bytes.Equal(a[i], b[i]) {
			t.Errorf("line %d:\n%s%s", i+1, a[i], b[i])
		}
	}
}

var checks = regexp.MustCompile(`(,"digest":"[0-9a-f]{64}")?,"crc":"[0-9a-f]{8}"`)

// old converts a run to one that is older than checksums.
func old(t testing.TB, dir string) {
	t.Helper()
	for _, name := range []string{journalName, histogramsName} {
		replace(t, filepath.Join(dir, name), checks.ReplaceAll(get(os.ReadFile(filepath.Join(dir, name)))(t), nil))
	}
}

// TestOld reads and continues runs that are older than checksums, with a note.
func TestOld(t *testing.T) {
	dir := write(t, sweep()[:5])
	old(t, dir)
	j := get(Open(dir))(t)
	verify(t, j, sweep(), 5)
	if notes := j.Notes(); j.Checked || len(notes) != 1 ||
		!strings.Contains(notes[0], "before journals had checksums") {
		t.Errorf("checked %v, notes %q", j.Checked, notes)
	}
	r, j := get2(t)(Resume(dir))
	complete(t, r, j, sweep())
	verify(t, get(Open(dir))(t), sweep(), len(sweep()))
	for _, name := range []string{journalName, histogramsName} {
		if b := get(os.ReadFile(filepath.Join(dir, name)))(t); bytes.Contains(b, []byte(`"crc"`)) ||
			bytes.Contains(b, []byte(`"digest"`)) {
			t.Errorf("%s of an old run has checksums now:\n%s", name, b)
		}
	}
}

// TestMixed refuses lines with and without checksums in one file.
func TestMixed(t *testing.T) {
	dir := write(t, sweep())
	whole := linesOf(t, dir, journalName)
	bare := func(line []byte) []byte { return checks.ReplaceAll(line, nil) }
	put(t, dir, journalName, slices.Replace(slices.Clone(whole), 0, 1, bare(whole[0])))
	_, err := Open(dir)
	wantError(t, err, journalName+":2:", "the header of the run has none")
	put(t, dir, journalName, slices.Replace(slices.Clone(whole), 2, 3, bare(whole[2])))
	_, err = Open(dir)
	wantError(t, err, journalName+":3:", "no checksum")

	old(t, dir)
	lines := linesOf(t, dir, histogramsName)
	c := chain{checked: true}
	lines[1], _ = c.sign(lines[1], 0)
	put(t, dir, journalName, [][]byte{bare(bytes.Join(whole, nil))})
	put(t, dir, histogramsName, lines)
	if notes := get(Open(dir))(t).Notes(); len(notes) != 2 || !strings.Contains(notes[1], histogramsName+":2:") {
		t.Errorf("%q", notes)
	}
}

// TestHistogramFlips changes each byte of the histograms. The damage is reported, and an incomplete run is not
// continued.
func TestHistogramFlips(t *testing.T) {
	dir := write(t, sweep()[:4])
	path := filepath.Join(dir, histogramsName)
	whole := get(os.ReadFile(path))(t)
	for k := range whole {
		for _, b := range []byte{whole[k] ^ 1, whole[k] ^ 0x80, '\n'} {
			if b == whole[k] {
				continue
			}
			flipped := bytes.Clone(whole)
			flipped[k] = b
			replace(t, path, flipped)
			if notes := get(Open(dir))(t).Notes(); len(notes) == 0 ||
				!strings.Contains(strings.Join(notes, " "), histogramsName) {
				t.Fatalf("byte %d to %q: notes %q", k, b, notes)
			}
			_, _, err := resume(dir, withoutSync)
			wantError(t, err, histogramsName, restoreHint)
		}
	}
}

// TestLostEnd removes the last lines after a seal. They are counted and run again.
func TestLostEnd(t *testing.T) {
	for _, name := range []string{journalName, histogramsName} {
		dir := write(t, sweep()[:6])
		if notes := get(Open(dir))(t).Notes(); len(notes) > 0 {
			t.Fatalf("a whole run has notes: %q", notes)
		}
		lines := linesOf(t, dir, name)
		put(t, dir, name, lines[:len(lines)-2])
		notes := get(Open(dir))(t).Notes()
		if len(notes) != 1 || !strings.Contains(notes[0], dir+" lost its end") ||
			!strings.Contains(notes[0], "2 trials at most") {
			t.Errorf("%s: %q", name, notes)
		}
		r, j := get2(t)(resume(dir, withoutSync))
		verify(t, j, sweep(), 4)
		complete(t, r, j, sweep())
		j = get(Open(dir))(t)
		verify(t, j, sweep(), len(sweep()))
		if notes := j.Notes(); len(notes) > 0 {
			t.Errorf("%s: %q", name, notes)
		}
	}
}

// TestInvalidText refuses invalid UTF-8, in old journals too.
func TestInvalidText(t *testing.T) {
	dir := write(t, sweep())
	old(t, dir)
	lines := linesOf(t, dir, journalName)
	lines[1] = bytes.Replace(lines[1], []byte("<b>"), []byte("<\xff>"), 1)
	put(t, dir, journalName, lines)
	_, err := Open(dir)
	wantError(t, err, journalName+":2:", "not valid UTF-8")
	lines[1] = bytes.Replace(bytes.Replace(lines[1], []byte("\xff"), []byte("b"), 1), []byte(`"schema_version":1,`),
		nil, 1)
	put(t, dir, journalName, lines)
	_, err = Open(dir)
	wantError(t, err, journalName+":2:", "schema_version 0 is unknown")
}

// TestSettings: the last settings count, with the number of trials before them. A change of them is damage.
func TestSettings(t *testing.T) {
	dir := write(t, sweep()[:1])
	for i, level := range []int{1, 2, 3} {
		r, j := get2(t)(Resume(dir))
		if want := []string{"", "1", "2"}[i]; string(j.Settings) != want || j.Changed != i {
			t.Errorf("settings %s after %d trials, want %q after %d", j.Settings, j.Changed, want, i)
		}
		must(t, r.Settings(level))
		must(t, r.Append(step{kind: result.KindTrial, block: 2, order: i}.trial(), nil))
		must(t, r.Close())
	}
	path := filepath.Join(dir, journalName)
	text := get(os.ReadFile(path))(t)
	must(t, os.WriteFile(path, bytes.Replace(text, []byte(`"settings":2`), []byte(`"settings":9`), 1), 0o666))
	_, err := Open(dir)
	wantError(t, err, journalName+":5:", "checksum")
}

// TestGone removes or replaces the directory of a run in progress. The next call that syncs reports it, and
// creates nothing.
func TestGone(t *testing.T) {
	calls := map[string]func(r *Run) error{
		"end of block": func(r *Run) error { return r.EndBlock(0, 1, 0) },
		"look":         func(r *Run) error { return r.Interim(looked()) },
		"settings":     func(r *Run) error { return r.Settings(1) },
		"end":          (*Run).End,
		"close":        (*Run).Close,
		"failure":      func(r *Run) error { _, err := r.Failure(0, 0, "panic"); return err },
	}
	for name, call := range calls {
		for _, again := range []bool{false, true} {
			dir := filepath.Join(t.TempDir(), "run")
			r := get(create(dir, header(), withoutSync))(t)
			must(t, r.Append(step{kind: result.KindTrial}.trial(), nil))
			must(t, os.RemoveAll(dir))
			if again {
				must(t, get(create(dir, header(), withoutSync))(t).Close())
			}
			err := call(r)
			wantError(t, err, dir, "removed, moved or replaced", "start the run again")
			if strings.Contains(err.Error(), "kept") || strings.Contains(err.Error(), "resume") {
				t.Errorf("%s: %v", name, err)
			}
			if r.Close(); !again {
				if _, err := os.Stat(dir); err == nil {
					t.Errorf("%s: %s was made anew", name, dir)
				}
			}
		}
	}
}

// TestGoneAtOnce removes the directory while the header is written.
func TestGoneAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	_, err := create(dir, header(), func(path string) (file, error) {
		f, err := withoutSync(path)
		if filepath.Base(path) == journalName {
			must(t, os.RemoveAll(dir))
		}
		return f, err
	})
	if !errors.Is(err, ErrGone) {
		t.Errorf("%v", err)
	}
	wantError(t, err, dir, "start the run again")
}

// TestCompleteIsOnlyRead opens no file of a complete run for writing, and takes no lock.
func TestCompleteIsOnlyRead(t *testing.T) {
	dir := write(t, sweep())
	must(t, os.Remove(filepath.Join(dir, lockName)))
	refuse := func(path string) (file, error) { t.Errorf("%s is opened for writing", path); return openFile(path) }
	r, j := get2(t)(resume(dir, refuse))
	verify(t, j, sweep(), len(sweep()))
	must(t, r.Close())
	if _, err := os.Stat(filepath.Join(dir, lockName)); err == nil {
		t.Error("a lock was made")
	}
}

// TestAfterEnd appends bytes to the files of a complete run. They are reported, and the run is only read.
func TestAfterEnd(t *testing.T) {
	for _, c := range []struct{ name, bytes string }{{journalName, "x"}, {journalName, "xyz\n"}, {histogramsName, "x"},
		{histogramsName, "x\ny\n"}} {
		dir := write(t, sweep())
		must(t, os.Remove(filepath.Join(dir, lockName)))
		path := filepath.Join(dir, c.name)
		whole := get(os.ReadFile(path))(t)
		replace(t, path, append(bytes.Clone(whole), c.bytes...))
		refuse := func(path string) (file, error) { t.Errorf("%s is opened for writing", path); return openFile(path) }
		r, j := get2(t)(resume(dir, refuse))
		verify(t, j, sweep(), len(sweep()))
		must(t, r.Close())
		want := fmt.Sprintf("%s: %d bytes after the end of the run are not part of it: another program wrote them; "+
			"remove them, so that the file has %d bytes", path, len(c.bytes), len(whole))
		if notes := j.Notes(); !slices.Equal(notes, []string{want}) {
			t.Errorf("notes %q, want %q", notes, want)
		}
		if _, err := os.Stat(filepath.Join(dir, lockName)); err == nil {
			t.Error("a lock was made")
		}
	}
}

// TestMutate damages runs in one place. Open returns the same as before, or reports the damage.
func TestMutate(t *testing.T) {
	dirs := []string{write(t, sweep()), write(t, sweep()[:6])}
	for seed := range uint64(600) {
		dir := dirs[seed%2]
		rng := rand.New(rand.NewPCG(seed, 3))
		name := []string{journalName, histogramsName}[rng.IntN(2)]
		path := filepath.Join(dir, name)
		whole := get(os.ReadFile(path))(t)
		_, mutated := storetest.Mutate(rng, whole)
		replace(t, path, mutated)
		if j, err := Open(dir); err == nil && len(j.Notes()) == 0 && j.Ended == (seed%2 == 0) {
			verify(t, j, sweep(), []int{len(sweep()), 6}[seed%2])
		}
		replace(t, path, whole)
	}
}
