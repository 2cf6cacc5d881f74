package cli_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestExampleIsTheStarter checks that the example in the tree, which vet and the builds cover, is what new writes.
func TestExampleIsTheStarter(t *testing.T) {
	example := filepath.Join("..", "..", "examples", "counter", "main.go")
	want, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	brewputCommand(t, "new", "counter")
	written, err := os.ReadFile(filepath.Join("counter", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	if string(written) != string(want) {
		t.Errorf("examples/counter/main.go is not what new writes: change internal/cli/starter.go.txt and it "+
			"together; new writes\n%s", written)
	}
}
