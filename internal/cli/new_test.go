package cli_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestExampleIsTheStarter: the example in the tree, which vet and the builds cover, is what new writes.
func TestExampleIsTheStarter(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "counter")
	brewputCommand(t, "new", dir)
	written, err := os.ReadFile(filepath.Join(dir, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile(filepath.Join("..", "..", "examples", "counter", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	if string(written) != string(example) {
		t.Errorf("examples/counter/main.go is not what new writes: change internal/cli/starter.go.txt and it together; new writes\n%s", written)
	}
}
