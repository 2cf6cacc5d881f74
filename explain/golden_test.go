package explain

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write the golden file anew")

// The JSON of a finding is a contract: programs read it.
func TestGolden(t *testing.T) {
	var out bytes.Buffer
	for _, c := range []*testCase{coarseLock(), singleCase(), wideCase(), pipeline(950, 100)} {
		for _, f := range explainWith(nil, &c.evidence).Findings {
			data, err := json.MarshalIndent(f, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			out.Write(data)
			out.WriteByte('\n')
		}
	}
	const file = "testdata/findings.json"
	if *update {
		if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("go test ./explain -update writes it anew; it is now\n%s", out.Bytes())
	}
}
