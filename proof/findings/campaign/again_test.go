package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/explain"
	"github.com/brewput/brewput/proof/findings/corpus"
	"github.com/brewput/brewput/proof/record"
)

// TestAgain scores the stored answers of several turns, and collects nothing if there are enough.
func TestAgain(t *testing.T) {
	families, err := corpus.Families()
	if err != nil {
		t.Fatal(err)
	}
	o := options{dir: t.TempDir(), again: 2}
	cases := families[0].Cases()[:1]
	source, _, err := cases[0].Source()
	if err != nil {
		t.Fatal(err)
	}
	for k := range o.again {
		dir := turn(o.dir, k)
		if err := os.MkdirAll(filepath.Join(dir, "evidence"), 0o755); err != nil {
			t.Fatal(err)
		}
		s := stored{Source: source, Evidence: evidence.Evidence{Program: evidence.Program{Name: "x"}}}
		if err := save(evidenceFile(dir, cases[0]), s); err != nil {
			t.Fatal(err)
		}
	}
	list := agreements(options{dir: o.dir, again: 3}, cases)
	if len(list) != 1 || list[0].Case != cases[0].Name() || len(list[0].First) != 2 ||
		list[0].First[1].Name != explain.TooLittleEvidence {
		t.Errorf("%+v", list)
	}
	var out strings.Builder
	code, err := again(t.Context(), o, cases, record.Piece{}, &out)
	if code != record.ExitUndecided || err != nil || !strings.Contains(out.String(), "1 programs, 2 answers each: the "+
		"same first finding in -, ") || !strings.Contains(out.String(), "too little evidence in 1.00") {
		t.Errorf("%d, %v: %s", code, err, out.String())
	}
}
