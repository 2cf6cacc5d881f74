package explain

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"
)

// The table contains every finding, and no finding is its own symptom.
func TestTraits(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "names.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	names := map[Name]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			names[Name(text)] = true
		}
		return true
	})
	if len(names) < 30 {
		t.Fatalf("names.go has %d names", len(names))
	}
	for n := range names {
		if _, ok := traits[n]; ok == (n == None || n == TooLittleEvidence) {
			t.Errorf("%s is in the table: %v", n, ok)
		}
	}
	for cause, trait := range traits {
		seen := map[Name]bool{cause: true}
		for _, symptom := range trait.symptoms {
			if seen[symptom] || !names[symptom] {
				t.Errorf("%s explains %s, which is itself, not a name, or there twice", cause, symptom)
			}
			seen[symptom] = true
		}
	}
}
