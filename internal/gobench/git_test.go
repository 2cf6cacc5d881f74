package gobench

import "testing"

// TestTree checks how the revision of the head is described: untracked files alone are no uncommitted changes, but a
// build may use them.
func TestTree(t *testing.T) {
	dir := repository(t, "a.go", "package a\n", ".gitignore", "*.out\n")
	repo, err := FindRepo(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, want string }{
		{"ignored.out", "0123456789ab"},
		{"b.go", "0123456789ab with untracked files"},
		{"a.go", "0123456789ab with uncommitted changes"},
	} {
		write(t, dir, c.file, "package a // changed\n")
		x := Experiment{Commit: "0123456789abcdef"}
		if x.Modified, x.Untracked, err = repo.Modified(t.Context()); err != nil || x.Tree() != c.want {
			t.Errorf("%s is written: %s (%v), want %s", c.file, x.Tree(), err, c.want)
		}
	}
}
