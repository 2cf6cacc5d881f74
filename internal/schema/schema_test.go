package schema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/doctor"
	"github.com/brewput/brewput/explain"
	"github.com/brewput/brewput/internal/buildinfo"
	"github.com/brewput/brewput/internal/schema"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/tools/schematest"
)

// object is the part of a schema that the tests read.
type object struct {
	Title             string            `json:"title"`
	Description       string            `json:"description"`
	Ref               string            `json:"$ref"`
	Type              any               `json:"type"`
	Items             *object           `json:"items"`
	AnyOf             []object          `json:"anyOf"`
	Properties        map[string]object `json:"properties"`
	PatternProperties map[string]object `json:"patternProperties"`
	Required          []string          `json:"required"`
	Defs              map[string]object `json:"$defs"`
}

func of(t *testing.T, kind string) object {
	t.Helper()
	text, ok := schema.Of(kind)
	if !ok {
		t.Fatalf("no kind %q", kind)
	}
	var s object
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatalf("%s: %v", kind, err)
	}
	return s
}

// TestDescriptions checks that every property of every schema has a description and every kind a line that fits a
// terminal of 80 columns, and that keys with a unit in their name state it.
func TestDescriptions(t *testing.T) {
	units := map[string]string{"_ns": "nanoseconds", "_nanoseconds": "nanoseconds", "_seconds": "seconds",
		"_per_s": "per second"}
	check := func(where string, list map[string]object) {
		for name, p := range list {
			if p.Description == "" {
				t.Errorf("%s: %q has no description", where, name)
			}
			for ending, unit := range units {
				if strings.HasSuffix(name, ending) && !strings.Contains(p.Description, unit) {
					t.Errorf("%s: the description of %q does not name its unit, %s", where, name, unit)
				}
			}
		}
	}

	defined := map[string]bool{}
	for _, k := range schema.Kinds() {
		s := of(t, k.Name)
		check(k.Name, s.Properties)
		for name, d := range s.Defs {
			defined[name] = true
			check(k.Name+": "+name, d.Properties)
			check(k.Name+": "+name, d.PatternProperties)
		}
		if len(k.Verbs) == 0 {
			t.Errorf("%s: no verb prints it", k.Name)
		}
	}
	for line := range bytes.Lines(schema.Table()) {
		if len(line) > 81 {
			t.Errorf("%d columns: %s", len(line)-1, line)
		}
	}

	var all object
	if err := json.Unmarshal(schema.All(), &all); err != nil {
		t.Fatal(err)
	}
	if got, want := len(all.Defs), len(defined)+len(schema.Kinds()); got != want {
		t.Errorf("%d definitions for %d kinds and %d shared ones: a name stands for two, or nothing uses one", got,
			len(schema.Kinds()), len(defined))
	}
}

// TestTypes checks that the schemas describe exactly the keys of the Go types, and require those that are always there.
func TestTypes(t *testing.T) {
	for kind, value := range map[string]any{
		"trial": result.Trial{}, "observed": result.Trial{}, "calibration": result.Calibration{},
		"verdict": compare.Verdict{}, "twin": compare.Prediction{}, "formula": compare.Formula{},
		"winner": compare.Winner{},
		"serial": compare.SerialFraction{}, "knee": compare.Knee{}, "sensitivity": compare.Sensitivity{},
		"warning": compare.Warning{}, "scaling": compare.Scaling{}, "gate": compare.GateDecision{},
		"finding": explain.Finding{}, "change": explain.Change{}, "finding-doc": explain.Doc{},
		"check": doctor.Check{}, "doctor": doctor.Report{}, "answer": compare.Answer{}, "version": buildinfo.Build{},
		// compare adds the run of a summary
		"summary": struct {
			result.Summary
			Run string `json:"run,omitempty"`
		}{},
	} {
		s := of(t, kind)
		for _, problem := range differences(kind, s, s.Defs, reflect.TypeOf(value)) {
			t.Error(problem)
		}
	}
}

// differences compares the keys of a schema with those of a struct, and of the structs in it.
func differences(where string, s object, defs map[string]object, typ reflect.Type) (list []string) {
	for s.Ref != "" {
		s = defs[strings.TrimPrefix(s.Ref, "#/$defs/")]
	}
	seen := map[string]bool{}
	for _, f := range reflect.VisibleFields(typ) {
		tag, ok := f.Tag.Lookup("json")
		if !ok || tag == "-" || f.Anonymous {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		optional := options == "omitempty" || len(f.Index) > 1 && inPointer(typ, f.Index)
		p, described := s.Properties[name]
		seen[name] = true
		switch {
		case !described:
			list = append(list, fmt.Sprintf("%s: %s has the key %q, which is not described", where, typ, name))
			continue
		case optional == slices.Contains(s.Required, name):
			list = append(list, fmt.Sprintf("%s: %q: required is %v, but omitempty is %v", where, name, !optional,
				optional))
		}
		if inner, one := elements(f.Type, p); inner.Kind() == reflect.Struct && one.Ref != "" &&
			len(defs[strings.TrimPrefix(one.Ref, "#/$defs/")].Properties) > 0 {
			list = append(list, differences(where+"."+name, one, defs, inner)...)
		}
	}
	for name := range s.Properties {
		if !seen[name] {
			list = append(list, fmt.Sprintf("%s: %s has no key %q", where, typ, name))
		}
	}
	return list
}

// inPointer reports whether a field is in an embedded pointer, which may be nil.
func inPointer(typ reflect.Type, index []int) bool {
	return typ.Field(index[0]).Type.Kind() == reflect.Pointer
}

// elements returns what a type and its schema contain: of a pointer what it points at, of a list an element.
func elements(typ reflect.Type, s object) (reflect.Type, object) {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
		typ = typ.Elem()
	}
	if s.Items != nil {
		s = *s.Items
	}
	if len(s.AnyOf) > 0 {
		s = s.AnyOf[0]
	}
	return typ, s
}

// TestMetrics checks that the schema describes the metrics of the contract.
func TestMetrics(t *testing.T) {
	metrics := of(t, "trial").Defs["metrics"].Properties
	for name := range metrics {
		if !result.KnownMetric(name) {
			t.Errorf("the contract has no metric %q", name)
		}
	}
	for _, name := range []string{result.Throughput, result.LatencyMean, result.ResponseMean, result.WallSeconds,
		result.TimePerOp, result.MaxRSS, result.MemoryFloor, result.TimingSeconds, "ledger_idle", "lag_p99_ns"} {
		if _, ok := metrics[name]; !ok {
			t.Errorf("%q is not described", name)
		}
	}
}

// TestValidator checks that the validator accepts a record, and refuses what the schema does not describe. The
// published schemas permit new kinds and keys.
func TestValidator(t *testing.T) {
	v, err := schematest.New()
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		`{"kind":"note","text":"a"}`:                                     "",
		`{"kind":"answer","schema_version":1,"text":["a","b"]}`:          "",
		`{"kind":"note"}`:                                                "text",
		`{"kind":"note","text":1}`:                                       "want string",
		`{"kind":"note","text":"a","more":1}`:                            "more",
		`{"kind":"novelty","text":"a"}`:                                  "no schema describes the kind \"novelty\"",
		`{"text":"a"}`:                                                   "no schema describes the kind \"\"",
		`{"kind":"note","text":"a"`:                                      "unexpected",
		`{"kind":"trial","schema_version":1,"resources":[{"beans":1}]}`:  "beans",
		`{"kind":"observed","schema_version":1,"metrics":{"a_ns":"1"}}`:  "got string, want null or number",
		`{"kind":"answer","schema_version":0,"text":["a"]}`:              "minimum",
		`{"kind":"gate-decision","decision":"maybe","schema_version":1}`: "maybe",
	} {
		err := v.Line([]byte(line))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
	for _, line := range []string{`{"kind":"note","text":"a","more":1}`, `{"kind":"novelty"}`} {
		if err := v.Published([]byte(line)); err != nil {
			t.Errorf("published: %s: %v", line, err)
		}
	}
	if err := v.Published([]byte(`{"kind":"note","text":1}`)); err == nil {
		t.Error("the published schema permits a number as text")
	}
	if err := v.Output([]byte("a page\n{\"kind\":\"note\",\"text\":1}\n")); err == nil {
		t.Error("an invalid record of an output passes")
	}
}
