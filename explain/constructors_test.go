package explain

import (
	"slices"
	"strings"
	"testing"

	"github.com/brewput/brewput/evidence"
)

// TestForeignConstructors: what another module makes for each call is named at the program's own line, if each is
// large and a constructor made it.
func TestForeignConstructors(t *testing.T) {
	newEncoder := []string{"runtime.mallocgc", "example.com/zip.(*Encoder).init:40", "example.com/zip.NewWriter:20",
		"main.send:7", "main.worker:3"}
	below := func(constructor string) []string { return append([]string{constructor}, newEncoder[3:]...) }
	for name, c := range map[string]struct {
		stack []string
		bytes int64 // of each of 5000
		want  Name
	}{
		"encoders":              {newEncoder, 4000, EscapePerOp},
		"costly encoders":       {newEncoder[1:], 4000, HotFunction},
		"one large":             {newEncoder, 4000, ""},
		"identifiers":           {newEncoder, 64, ""},
		"called from ten lines": {newEncoder, 64, ""},
		"a document":            {below("example.com/html.NewDocumentFromReader:20"), 4000, ""},
		"a pattern":             {below("example.com/re.MustCompile:20"), 4000, HotFunction},
		"one by a library": {append([]string{"example.com/zip.NewWriter:20", "example.com/rpc.Serve:3"},
			newEncoder[3:]...), 4000, ""},
		"news":                  {below("example.com/feed.News:20"), 4000, ""},
		"the standard library":  {below("image/png.NewThing:20"), 4000, ""},
		"the program's own":     {below("shop/zip.NewWriter:20"), 4000, ""},
		"what another one does": {below("example.com/zip.Compress:20"), 4000, ""},
	} {
		made := makes(60, 0, c.stack...)
		made.evidence.Program.Module = "shop"
		heap := &made.evidence.Profiles[1]
		calls := int64(5000)
		if name == "one large" {
			calls = 1
		}
		heap.Samples[0].Values = []int64{calls, 5000 * c.bytes}
		// A loop in the constructor, which would count too many calls.
		heap.Samples = append(heap.Samples, evidence.Sample{Values: []int64{500000, 500 * c.bytes},
			Stack: append(frames("example.com/zip.(*Encoder).table:60"), heap.Samples[0].Stack...)})
		if name == "called from ten lines" {
			one := heap.Samples[0].Stack
			heap.Samples = nil
			for line := range 10 {
				caller := evidence.Frame{Function: "main.all", File: "/src/prog/main.go", Line: 40 + line}
				heap.Samples = append(heap.Samples, evidence.Sample{Values: []int64{calls / 10, 500 * c.bytes},
					Stack: append(slices.Clone(one), caller)})
			}
		}
		found := madeByLibrary(newAnalysis(&made.evidence))
		switch {
		case c.want == "" && len(found) > 0, c.want != "" && (len(found) != 1 || found[0].Name != c.want):
			t.Errorf("%s: %+v, want %q", name, found, c.want)
		case c.want != "" && (found[0].Where[0] != "main.go:7" || !strings.HasSuffix(found[0].Claim,
			"makes a new value: that takes "+percent(found[0].Share)+" of the CPU time.") || found[0].Gain == nil ||
			found[0].Confidence != Low): // callers may keep the value
			t.Errorf("%s: %+v", name, found[0])
		}
	}
}
