package report

import (
	"bytes"
	"testing"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/explain"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/tools/schematest"
)

// TestSchemas checks that the records of all pages match the schemas.
func TestSchemas(t *testing.T) {
	v, err := schematest.New()
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"explanation": func(b *bytes.Buffer) error {
			r, e := slow()
			return ExplanationJSON(b, r, e)
		},
		"changes": func(b *bytes.Buffer) error {
			return ChangesJSON(b, []explain.Change{{Kind: "change", Rank: 1, Name: "wall time", Unit: "seconds",
				Before: 2, After: 1, Where: []string{}}}, []string{"a note"})
		},
		"findings": func(b *bytes.Buffer) error {
			_, err := FindingDocsJSON(b, "")
			return err
		},
		"missing designs": func(b *bytes.Buffer) error {
			return MissingJSON(b, "brewput-extra", "make extra", [][2]string{{"set/xsync", "a hash table"}})
		},
		"benchmarks": func(b *bytes.Buffer) error { return writeLines(b, benchPages()) },
		"broken": func(b *bytes.Buffer) error {
			return writeLines(b, Benchmarks{Broken: []result.Broken{{Name: "Work", Rev: "head", Error: "no milk"}}})
		},
		"gate": func(b *bytes.Buffer) error {
			return Gate{Decision: compare.Error, NotJudged: []result.NotJudged{{Design: "Work",
				Reason: result.HeadFails, Output: "no milk"}}}.JSON(b)
		},
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil || b.Len() == 0 {
			t.Fatalf("%s: %d bytes, %v", name, b.Len(), err)
		}
		if err := v.Output(b.Bytes()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func writeLines(b *bytes.Buffer, p Benchmarks) error {
	for _, line := range p.Lines() {
		if err := JSON(b, line); err != nil {
			return err
		}
	}
	return nil
}
