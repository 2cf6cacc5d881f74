package cli_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brewput/brewput/internal/schema"
)

var update = flag.Bool("update", false, "write the tables of the manual")

// TestKindTable checks that the table of kinds in the manual is that of the schemas. With -update it writes it.
func TestKindTable(t *testing.T) {
	page := filepath.Join("..", "..", "docs", "manual", "24-json.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const head = "| kind | printed by | what |\n|---|---|---|\n"
	before, rest, found := strings.Cut(string(text), head)
	_, after, ends := strings.Cut("\n"+rest, "\n\n")
	if !found || !ends {
		t.Fatal("the page has no table of kinds")
	}
	var want bytes.Buffer
	want.WriteString(before + head)
	for _, k := range schema.Kinds() {
		fmt.Fprintf(&want, "| `%s` | %s | %s |\n", k.Name, strings.Join(k.Verbs, ", "), k.Title)
	}
	want.WriteString("\n" + after)
	switch {
	case bytes.Equal(want.Bytes(), text):
	case *update:
		err = os.WriteFile(page, want.Bytes(), 0o644)
	default:
		err = fmt.Errorf("%s is out of date: go test ./internal/cli -run TestKindTable -update", page)
	}
	if err != nil {
		t.Error(err)
	}
}
