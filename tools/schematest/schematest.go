// Package schematest validates printed records against the schemas of package schema, for tests.
package schematest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/brewput/brewput/internal/schema"
)

// Validator validates records. Its methods may be called concurrently.
type Validator struct {
	published *jsonschema.Schema            // of all kinds
	strict    map[string]*jsonschema.Schema // by kind; these refuse keys that are not described
}

// New returns a validator. The error is that of an invalid schema.
func New() (*Validator, error) {
	v := &Validator{strict: map[string]*jsonschema.Schema{}}
	var err error
	if v.published, err = compileOne(schema.All(), false); err != nil {
		return nil, err
	}
	for _, kind := range schema.Names() {
		text, _ := schema.Of(kind)
		if _, err := compileOne(text, false); err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
		if v.strict[kind], err = compileOne(text, true); err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
	}
	return v, nil
}

// compileOne compiles a schema; if strict, one that refuses keys that are not described.
func compileOne(text []byte, strict bool) (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if strict {
		closeObjects(document)
	}
	const url = "urn:brewput:test"
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(url, document); err != nil {
		return nil, err
	}
	return c.Compile(url)
}

// closeObjects makes each schema with properties refuse others. A schema that refers to another one adds nothing to it
// that has to be refused.
func closeObjects(schema any) {
	switch x := schema.(type) {
	case []any:
		for _, y := range x {
			closeObjects(y)
		}
	case map[string]any:
		_, describes := x["properties"].(map[string]any)
		if describes && x["type"] != nil && x["additionalProperties"] == nil {
			x["additionalProperties"] = false
		}
		for _, y := range x {
			closeObjects(y)
		}
	}
}

// Line returns an error if a record does not match the schema of its kind, has a kind without a schema, or has a key
// that the schema does not describe.
func (v *Validator) Line(line []byte) error {
	record, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
	if err != nil {
		return fmt.Errorf("%w: %s", err, line)
	}
	object, _ := record.(map[string]any)
	kind, _ := object["kind"].(string)
	strict := v.strict[kind]
	if strict == nil {
		return fmt.Errorf("no schema describes the kind %q: add internal/schema/kinds/KIND.json: %s", kind, line)
	}
	if err := strict.Validate(record); err != nil {
		return fmt.Errorf("%w: %s", err, line)
	}
	return v.Published(line)
}

// Published returns an error if a record does not match the schema of all kinds as it is published.
func (v *Validator) Published(line []byte) error {
	record, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
	if err == nil {
		err = v.published.Validate(record)
	}
	if err != nil {
		return fmt.Errorf("the schema of all kinds: %w: %s", err, line)
	}
	return nil
}

// Output validates the records of an output, which are its lines that begin with a brace and a kind.
func (v *Validator) Output(output []byte) error {
	for line := range bytes.Lines(output) {
		if bytes.HasPrefix(line, []byte(`{"`)) && json.Valid(line) {
			if err := v.Line(bytes.TrimSpace(line)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Writer copies an output and validates it at the end.
type Writer struct {
	to   io.Writer
	kept bytes.Buffer
}

// NewWriter returns a writer that copies to another one.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Write implements [io.Writer].
func (w *Writer) Write(p []byte) (int, error) {
	w.kept.Write(p)
	return w.to.Write(p)
}

// Err returns an error if what was written has an invalid record.
func (w *Writer) Err() error {
	v, err := New()
	if err != nil {
		return err
	}
	return v.Output(w.kept.Bytes())
}
