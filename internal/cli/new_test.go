package cli_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestExampleIsTheStarter checks that the example in the tree, which vet and the builds cover, is what new writes.
func TestExampleIsTheStarter(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	brewputCommand(t, "new", "counter")
	for _, name := range []string{"main.go", "main_test.go"} {
		want, err := os.ReadFile(filepath.Join(root, "examples", "counter", name))
		if err != nil {
			t.Fatal(err)
		}
		written, err := os.ReadFile(filepath.Join("counter", name))
		if err != nil {
			t.Fatal(err)
		}
		if string(written) != string(want) {
			t.Errorf("examples/counter/%s is not what new writes: change internal/starter/%s.txt and it together; new "+
				"writes\n%s", name, name, written)
		}
	}
}
