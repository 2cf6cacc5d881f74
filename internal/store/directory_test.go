package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestDirectory checks that a run without a given directory gets a new one, which git ignores.
func TestDirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if got := Directory("mine", "coffee", began); got != "mine" || exists(RunsDir) {
		t.Errorf("asked for mine, it is %s; there is a %s: %v", got, RunsDir, exists(RunsDir))
	}
	for _, want := range []string{"brewput-runs/coffee-20260102-030405", "brewput-runs/coffee-20260102-030405-2",
		"brewput-runs/coffee-20260102-030405-3"} {
		got := Directory("", "coffee", began)
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
		run, err := Create(got, struct{}{})
		if err != nil {
			t.Fatal(err)
		}
		run.Close()
	}
	if text, err := os.ReadFile("brewput-runs/.gitignore"); string(text) != "*\n" {
		t.Errorf("git is told %q, %v", text, err)
	}
}

// TestReserved checks that two runs that begin in the same second get two directories before either is created, and
// that those without a run are removed.
func TestReserved(t *testing.T) {
	t.Chdir(t.TempDir())
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	first, second := Directory("", "bench", began), Directory("", "bench", began)
	if first == second {
		t.Fatalf("both are %s", first)
	}
	if err := CheckVacant(second); err != nil {
		t.Error(err)
	}
	run, err := Create(first, struct{}{})
	if err != nil {
		t.Fatal(err)
	}
	run.Close()
	Discard(first)
	Discard(second)
	if !exists(first) || exists(second) || !exists("brewput-runs/.gitignore") {
		t.Errorf("the run is there: %v, the other directory: %v", exists(first), exists(second))
	}

	// Directory creates neither of these.
	err = errors.Join(os.Symlink("bench-20260102-030405", "brewput-runs/link"), os.Mkdir("mine", 0o777),
		os.WriteFile("brewput-runs/file", nil, 0o666))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"brewput-runs/link", "brewput-runs/file", "mine"} {
		if Discard(dir); !exists(dir) {
			t.Errorf("%s is removed", dir)
		}
	}

	if err := os.RemoveAll(RunsDir); err != nil {
		t.Fatal(err)
	}
	if Discard(Directory("", "bench", began)); exists(RunsDir) {
		t.Error("the default directory is left")
	}
	dir := Directory("", "bench", began)
	os.Remove(dir) // as a run does that could not begin
	if Discard(dir); exists(RunsDir) {
		t.Error("the default directory of a removed run is left")
	}
	dir = Directory("", "bench", began)
	if err := os.WriteFile("brewput-runs/.gitignore", []byte("*.txt\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if Discard(dir); exists(dir) || !exists("brewput-runs/.gitignore") {
		t.Error("a file of the user is removed")
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// TestUpdate checks that a file that holds its text already is not written.
func TestUpdate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, text := range []string{"one", "two"} {
		if err := Update(path, text); err != nil {
			t.Fatal(err)
		}
		before, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := Update(path, text); err != nil {
			t.Fatal(err)
		}
		after, err := os.Stat(path)
		if err != nil || !os.SameFile(before, after) {
			t.Errorf("it is replaced: %v", err)
		}
		if got, err := os.ReadFile(path); string(got) != text {
			t.Errorf("%s, %v", got, err)
		}
	}
}

// TestWithdraw: a run that cannot begin takes back its files and nothing else, and another one can begin there.
func TestWithdraw(t *testing.T) {
	dir := t.TempDir()
	r, err := Create(dir, map[string]int{})
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, "notes")
	for _, path := range []string{filepath.Join(dir, "bin", "head"), own} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, nil, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Withdraw("bin"); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || !slices.Equal(left, []string{own}) {
		t.Errorf("%q are left, %v; want only %s", left, err, own)
	}
	if err := r.Close(); err != nil {
		t.Errorf("closing it again: %v", err)
	}
	os.Remove(own)
	if r, err = Create(dir, map[string]int{}); err != nil {
		t.Fatalf("no other run can begin: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// TestWithdrawDirectory: the directory goes with a run that cannot begin if the run made it. One of the user stays,
// although it is empty.
func TestWithdrawDirectory(t *testing.T) {
	users, made := t.TempDir(), filepath.Join(t.TempDir(), "run")
	for _, dir := range []string{users, made} {
		r, err := Create(dir, map[string]int{})
		if err == nil {
			err = r.Withdraw()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if !exists(users) || exists(made) {
		t.Errorf("the user's directory is there: %v, the new one: %v", exists(users), exists(made))
	}
}

// TestCreateFails checks that a run whose header cannot be written leaves no file, and no directory that it made.
func TestCreateFails(t *testing.T) {
	users, made := t.TempDir(), filepath.Join(t.TempDir(), "run")
	for _, dir := range []string{users, made} {
		if _, err := create(dir, header(), (&disk{left: 3}).open); !IsStorageFailure(err) {
			t.Fatal(err)
		}
	}
	if left, err := os.ReadDir(users); err != nil || len(left) > 0 || exists(made) {
		t.Errorf("left in the user's directory: %v, %v; the new one is there: %v", left, err, exists(made))
	}
}

// heldFile is a file that cannot be removed while it is open, as on Windows.
type heldFile struct{ *os.File }

func (f heldFile) Close() error {
	if !exists(f.Name()) {
		return errors.New(f.Name() + " was removed while it was open")
	}
	return f.File.Close()
}

// TestWithdrawOpenFiles checks that a run that cannot begin closes its files before it removes them.
func TestWithdrawOpenFiles(t *testing.T) {
	r, err := create(filepath.Join(t.TempDir(), "run"), header(), func(path string) (file, error) {
		f, err := openFile(path)
		if err != nil {
			return nil, err
		}
		return heldFile{f.(*os.File)}, nil
	})
	if err == nil {
		err = r.Withdraw()
	}
	if err != nil {
		t.Error(err)
	}
}
