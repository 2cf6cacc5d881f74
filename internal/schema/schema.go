// Package schema describes the JSON records that the verbs print: it has a JSON Schema (draft 2020-12) for each kind.
//
// Readers must skip records of unknown kinds and ignore unknown keys, because new ones may be added at any time. The
// schemas therefore permit unknown keys. The tests of internal/cli and report are stricter: they validate the output
// with package schematest, which refuses kinds and keys without a description.
//
// The journal of a run directory is not described: other programs read it through package lab.
package schema

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"text/tabwriter"
)

// files holds a schema for each kind, with references to shared definitions, and these definitions.
//
//go:embed kinds/*.json defs.json
var files embed.FS

// dialect is the version of JSON Schema.
const dialect = "https://json-schema.org/draft/2020-12/schema"

// Kind is a kind of record.
type Kind struct {
	Name  string
	Title string   `json:"title"`        // what it is, in a line
	Verbs []string `json:"x-printed-by"` // the verbs that print it
}

// Kinds returns all kinds of records by name.
func Kinds() []Kind {
	entries, err := files.ReadDir("kinds")
	if err != nil {
		panic(err) // cannot happen: the files are embedded
	}
	var list []Kind
	for _, e := range entries {
		k := Kind{Name: strings.TrimSuffix(e.Name(), ".json")}
		if err := json.Unmarshal(read(path.Join("kinds", e.Name())), &k); err != nil {
			panic(fmt.Sprintf("%s: %v", e.Name(), err)) // cannot happen: the tests parse all of them
		}
		list = append(list, k)
	}
	slices.SortFunc(list, func(a, b Kind) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Names returns the names of all kinds.
func Names() []string {
	var names []string
	for _, k := range Kinds() {
		names = append(names, k.Name)
	}
	return names
}

// Table returns the kinds with their titles as a table of text.
func Table() []byte {
	var b bytes.Buffer
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "KIND\tWHAT")
	for _, k := range Kinds() {
		fmt.Fprintf(t, "%s\t%s\n", k.Name, k.Title)
	}
	t.Flush()
	return b.Bytes()
}

// Of returns the schema of a kind as indented JSON with a final newline. It contains the definitions that it refers to.
// ok is false if there is no such kind.
func Of(kind string) (text []byte, ok bool) {
	if !slices.Contains(Names(), kind) {
		return nil, false
	}
	own := read("kinds/" + kind + ".json")
	defs := map[string]json.RawMessage{}
	collect(own, definitions(), defs)
	body := strings.TrimSuffix(strings.TrimPrefix(string(own), "{\n"), "\n}\n")
	return document("urn:brewput:schema:"+kind, body, defs), true
}

// All returns one schema for the records of all kinds, as indented JSON with a final newline. It permits records of
// unknown kinds.
func All() []byte {
	defs := definitions()
	var rules []string
	for _, k := range Kinds() {
		defs[k.Name] = bytes.TrimSpace(indent(read("kinds/" + k.Name + ".json")))
		rules = append(rules, fmt.Sprintf(
			`    {"if": {"properties": {"kind": {"const": %q}}}, "then": {"$ref": "#/$defs/%s"}}`, k.Name, k.Name))
	}
	body := `  "title": "A record that Brewput prints in the format json, one a line",
  "type": "object",
  "properties": {
    "kind": {"type": "string", "description": "which record this is; skip unknown kinds"}
  },
  "required": ["kind"],
  "allOf": [
` + strings.Join(rules, ",\n") + `
  ]`
	return document("urn:brewput:schema", body, defs)
}

// document returns a schema with definitions by name. It keeps the layout of its parts: a property a line.
func document(id, body string, defs map[string]json.RawMessage) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n  \"$schema\": %q,\n  \"$id\": %q,\n%s", dialect, id, body)
	for i, name := range names(defs) {
		start := ",\n"
		if i == 0 {
			start = ",\n  \"$defs\": {\n"
		}
		fmt.Fprintf(&b, "%s    %q: %s", start, name, defs[name])
	}
	if len(defs) > 0 {
		b.WriteString("\n  }")
	}
	b.WriteString("\n}\n")
	return b.Bytes()
}

// definitions returns the shared definitions, indented as parts of a document.
func definitions() map[string]json.RawMessage {
	defs := map[string]json.RawMessage{}
	if err := json.Unmarshal(read("defs.json"), &defs); err != nil {
		panic(fmt.Sprintf("defs.json: %v", err)) // cannot happen: the tests parse it
	}
	for name, text := range defs {
		defs[name] = bytes.TrimSpace(indent(text))
	}
	return defs
}

// collect adds to found the definitions that a schema refers to, directly or indirectly.
func collect(schema []byte, defs, found map[string]json.RawMessage) {
	for name, text := range defs {
		if found[name] == nil && bytes.Contains(schema, []byte(`"#/$defs/`+name+`"`)) {
			found[name] = text
			collect(text, defs, found)
		}
	}
}

func names(defs map[string]json.RawMessage) []string {
	var list []string
	for name := range defs {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// indent indents each line by two more spaces.
func indent(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\n"), []byte("\n  ")) }

func read(name string) []byte {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err) // cannot happen: the files are embedded
	}
	return text
}
