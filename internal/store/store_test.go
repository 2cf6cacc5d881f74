package store

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/brewput/brewput/result"
)

func TestRoundTrip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "parents", "too", "run")
	r := get(Create(dir, header()))(t)
	for i, s := range sweep() {
		j := get(Open(dir))(t) // reading needs no lock
		verify(t, j, sweep(), i)
		must(t, s.do(r))
	}
	must(t, r.Close())
	must(t, r.Close())
	wantError(t, sweep()[0].do(r), "closed")
	j := get(Open(dir))(t)
	verify(t, j, sweep(), len(sweep()))
	if j.Torn != 0 || !j.Ended || j.Blocks[0] != 2 || len(j.Blocks) != 2 {
		t.Errorf("torn %d, ended %v, blocks %v", j.Torn, j.Ended, j.Blocks)
	}
	r, j = get2(t)(Resume(dir))
	verify(t, j, sweep(), len(sweep()))
	wantError(t, r.Append(step{kind: result.KindTrial, block: 7}.trial(), nil), "after the end")
	must(t, r.Close())
}

// TestHistogramsStop checks that the iteration may stop early.
func TestHistogramsStop(t *testing.T) {
	j := get(Open(write(t, sweep())))(t)
	n := 0
	for range j.Histograms() {
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d", n)
	}
}

// TestRefused has records that would make a journal that Open refuses. None is written.
func TestRefused(t *testing.T) {
	steps := sweep()[:5]
	dir := write(t, steps)
	r, _ := get2(t)(Resume(dir))
	defer r.Close()
	bad := steps[0].trial()
	bad.Answer = make(chan int)
	for _, c := range []struct {
		err   error
		words string
	}{
		{r.Append(steps[4].trial(), nil), "block 0 order 0 is there twice"},
		{r.Append(step{kind: result.KindTrial, block: 1, order: 9}.trial(), nil), "after the end of its block"},
		{r.Append(step{kind: result.KindTrial, block: -1}.trial(), nil), "0 or more"},
		{r.Append(step{kind: result.KindTrial, order: -1}.trial(), nil), "0 or more"},
		{r.Append(result.Trial{}, nil), `unknown kind of record ""`},
		{r.Append(step{kind: kindEnd}.trial(), nil), `not "end"`},
		{r.Append(bad, nil), "cannot be stored"},
		{r.Append(step{kind: result.KindTrial, order: 1}.trial(), blob(maxLine)), "longer than"},
		{r.EndBlock(1, 2, 0), "the end of block 1 is there twice"},
		{r.EndBlock(0, 2, 0), "block 0 ends with 2 trials, but 1 are there"},
		{r.EndBlock(-1, 0, 0), "0 or more"},
	} {
		wantError(t, c.err, c.words, dir)
	}
	verify(t, get(Open(dir))(t), sweep(), len(steps))
	_, err := Create(filepath.Join(t.TempDir(), "run"), make(chan int))
	wantError(t, err, "header")
}

func TestCreateWhere(t *testing.T) {
	parent := t.TempDir()
	in := func(name string, files ...string) string {
		dir := filepath.Join(parent, name)
		must(t, os.Mkdir(dir, 0o777))
		for i := 0; i < len(files); i += 2 {
			must(t, os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o666))
		}
		return dir
	}
	for _, dir := range []string{
		in("empty"),
		in("only-lock", lockName, ""),
		in("no-header", lockName, "", histogramsName, "", journalName, ""),
		in("cut-header", lockName, "", histogramsName, "", journalName, `{"kind":"run","schema_ver`),
		in("cut-early", journalName, `{"ki`),
		in("zeros", journalName, "\x00\x00\x00"),
	} {
		r, err := Create(dir, header())
		if err != nil {
			t.Errorf("Create(%s): %v", dir, err)
			continue
		}
		must(t, r.Close())
		verify(t, get(Open(dir))(t), sweep(), 0)
	}
	for _, dir := range []string{
		in("text", "readme", "x"),
		in("text-too", journalName, "", "readme", "x"),
		in("foreign", journalName, "{}\n"),
		in("notes", journalName, "my notes"),
		in("histogram", journalName, "", histogramsName, "x"),
	} {
		before := get(os.ReadDir(dir))(t)
		_, err := Create(dir, header())
		wantError(t, err, dir, "not empty")
		if after := get(os.ReadDir(dir))(t); len(after) != len(before) {
			t.Errorf("%s was changed: %v", dir, after)
		}
	}
	_, err := Create(filepath.Join(parent, "text", "readme"), header())
	wantError(t, err, "readme")
	dir := write(t, sweep()[:1])
	_, err = Create(dir, header())
	wantError(t, err, "already holds a run", "use resume "+dir)
	verify(t, get(Open(dir))(t), sweep(), 1)
}

func TestFailure(t *testing.T) {
	dir := write(t, nil)
	r, _ := get2(t)(Resume(dir))
	defer r.Close()
	must(t, os.Mkdir(filepath.Join(dir, "failures"), 0o777))
	must(t, os.WriteFile(filepath.Join(dir, "failures", "3-7.txt.tmp"), []byte("what a killed process left behind"),
		0o666))
	for _, text := range []string{"a longer panic", "deadlock"} {
		path, err := r.Failure(3, 7, text)
		must(t, err)
		if want := filepath.Join(dir, "failures", "3-7.txt"); path != want {
			t.Errorf("%s; want %s", path, want)
		}
		if got := get(os.ReadFile(path))(t); string(got) != text {
			t.Errorf("%q; want %q", got, text)
		}
	}
	if files := get(os.ReadDir(filepath.Join(dir, "failures")))(t); len(files) != 1 {
		t.Errorf("left over: %v", files)
	}
	must(t, os.RemoveAll(filepath.Join(dir, "failures")))
	must(t, os.WriteFile(filepath.Join(dir, "failures"), nil, 0o666))
	_, err := r.Failure(3, 7, "text")
	wantError(t, err, "failures", "resume")
}

// TestForeign opens directories that are not runs.
func TestForeign(t *testing.T) {
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	const stopped = "stopped before its header"
	for name, c := range map[string]struct{ content, want string }{
		"empty":     {"", stopped},
		"cut":       {`{"kind":"run","schema_version":1,"header":{}}`, stopped},
		"zeros":     {"\x00\x00", stopped},
		"png":       {png, "not a run directory"},
		"words":     {"hello", "not a run directory"},
		"ndjson":    {`{"event":"x"}` + "\n", "not a run directory"},
		"number":    {"1\n", "not a run directory"},
		"null":      {"null\n", "not a run directory"},
		"go test":   {`{"Action":"run","kind":3}` + "\n", "not a run directory"},
		"trial":     {`{"kind":"trial","block":0,"order":0}` + "\n", "not a run directory"},
		"flipped":   {`{"kind":"run","schema_version":1,"header":{]}` + "\n", "journal.ndjson:1:"},
		"no schema": {`{"kind":"run","header":{}}` + "\n", "not a run directory"},
		"newer":     {`{"kind":"run","schema_version":2,"header":{}}` + "\n", "update brewput"},
	} {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, journalName), []byte(c.content), 0o666))
		_, err := Open(dir)
		wantError(t, err, dir, c.want)
		if name == "newer" && strings.Contains(err.Error(), "not a run") {
			t.Error(err)
		}
		_, _, err = Resume(dir)
		wantError(t, err, dir, c.want)
		if files := get(os.ReadDir(dir))(t); len(files) != 1 {
			t.Errorf("%s: Resume left %v", name, files)
		}
	}
	dir := t.TempDir()
	_, err := Open(dir)
	wantError(t, err, dir+" is not a run directory: it has no "+journalName+"; give the directory")
	_, err = Open(filepath.Join(dir, "absent"))
	wantError(t, err, "absent is not a run directory: it does not exist; give the directory")
	file := filepath.Join(dir, "file")
	must(t, os.WriteFile(file, nil, 0o666))
	_, err = Open(file)
	wantError(t, err, "file is not a run directory: it is a file; give the directory")
	nowhere := filepath.Join(dir, "nowhere")
	must(t, os.Symlink(filepath.Join("absent", "too"), nowhere))
	_, err = Create(nowhere, 1)
	wantError(t, err, "nowhere cannot hold a run", "give a directory that can be written")
	must(t, os.Mkdir(filepath.Join(dir, journalName), 0o777))
	_, err = Open(dir)
	wantError(t, err, "not a run directory", "not a regular file")
}

// TestBroken has journals with one complete but invalid line.
func TestBroken(t *testing.T) {
	dir := write(t, sweep())
	path := filepath.Join(dir, journalName)
	lines := bytes.SplitAfter(get(os.ReadFile(path))(t), []byte("\n"))
	lines = lines[:len(lines)-1] // 1 header, 2 3 trials, 4 block, 5 interim, 6 7 trials, 8 block, 9 end
	for _, c := range []struct {
		at   int // number of the line, from 1, before which the new one is inserted
		line string
		want []string
	}{
		{3, "{\n", []string{":3:", "remove"}},
		{3, "\n", []string{":3:"}},
		{3, string(lines[0]), []string{":3:", "second header"}},
		{3, string(lines[1]), []string{":3:", "block 1 order 0 is there twice"}},
		{6, string(lines[3]), []string{":6:", "end of block 1 is there twice"}},
		{3, `{"kind":"block","block":1,"trials":2}` + "\n", []string{":3:", "ends with 2 trials, but 1 are there"}},
		{3, `{"kind":"block","trials":0}` + "\n", []string{":3:", "needs its number"}},
		{5, strings.Replace(string(lines[1]), `"order":0`, `"order":9`, 1),
			[]string{":5:", "after the end of its block"}},
		{3, strings.Replace(string(lines[1]), `"order":0,`, ``, 1), []string{":3:", "needs a block and an order"}},
		{3, strings.Replace(string(lines[1]), `"point":{`, `"point":[{`, 1), []string{":3:"}},
		{3, `{"kind":"trial","schema_version":9,"block":5,"order":5}` + "\n", []string{":3:", "update brewput"}},
		{5, `{"kind":"look","schema_version":1}` + "\n", []string{":5:", "what it decided"}},
		{5, `{"kind":"settings","schema_version":1}` + "\n", []string{":5:", "new settings are missing"}},
		{10, `{"kind":"end"}` + "\n", []string{":10:", "after the end"}},
		{10, `{"kind":"coda"}` + "\n", []string{":10:", `unknown kind of record "coda"`}},
	} {
		all := slices.Insert(slices.Clone(lines), c.at-1, []byte(c.line))
		must(t, os.WriteFile(path, bytes.Join(all, nil), 0o666))
		_, err := Open(dir)
		wantError(t, err, append(c.want, path)...)
		if strings.Contains(err.Error(), "update") && strings.Contains(err.Error(), "remove") {
			t.Errorf("two pieces of advice: %v", err)
		}
	}
}

// TestDamagedHistograms has histograms that were changed after a sync. The trials can still be read, and the
// damage is reported where it matters.
func TestDamagedHistograms(t *testing.T) {
	dir := write(t, sweep()[:5]) // a complete block of two, an interim analysis and a trial
	path := filepath.Join(dir, histogramsName)
	lines := bytes.SplitAfter(get(os.ReadFile(path))(t), []byte("\n"))
	firstError := func(j *Journal) error {
		for _, err := range j.Histograms() {
			if err != nil {
				return err
			}
		}
		return nil
	}

	must(t, os.WriteFile(path, lines[0], 0o666))
	j := get(Open(dir))(t)
	wantError(t, firstError(j), histogramsName+":2:", "block 1 order 1")
	if len(j.Trials) != 3 {
		t.Errorf("%d trials; want 3", len(j.Trials))
	}
	_, _, err := Resume(dir)
	wantError(t, err, histogramsName, "complete blocks have 2 trials", "restore the file")

	must(t, os.WriteFile(path, bytes.Join([][]byte{lines[1], lines[0], lines[2]}, nil), 0o666))
	wantError(t, firstError(get(Open(dir))(t)), histogramsName+":1:", "block 1 order 1", "block 1 order 0")

	must(t, os.Remove(path))
	j = get(Open(dir))(t)
	wantError(t, firstError(j), histogramsName)
	if len(j.Trials) != 3 {
		t.Errorf("%d trials; want 3", len(j.Trials))
	}
	_, _, err = Resume(dir)
	wantError(t, err, histogramsName, "restore the file")
	if _, err := os.Stat(path); err == nil {
		t.Error("Resume made a new file of histograms")
	}

	// Failed calls of Resume have released the lock.
	must(t, os.WriteFile(path, bytes.Join(lines, nil), 0o666))
	r, j := get2(t)(Resume(dir))
	verify(t, j, sweep(), 5)
	must(t, r.Close())
}

func TestLocked(t *testing.T) {
	if runtime.GOOS == "plan9" {
		t.Skip("no locks here")
	}
	dir := filepath.Join(t.TempDir(), "run")
	r := get(Create(dir, header()))(t)
	_, _, err := Resume(dir)
	wantError(t, err, dir, "another process")
	must(t, r.Close())
	r, _ = get2(t)(Resume(dir))
	_, _, err = Resume(dir)
	wantError(t, err, dir, "another process")
	must(t, r.Close())
}
