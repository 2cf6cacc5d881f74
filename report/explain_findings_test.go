package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/brewput/brewput/explain"
)

func TestFindingDocs(t *testing.T) {
	var list, one, all bytes.Buffer
	for _, c := range []struct {
		name string
		to   *bytes.Buffer
	}{{"", &list}, {"coarse-lock", &one}} {
		if known, err := FindingDocs(c.to, c.name, Style{Width: 80}); !known || err != nil {
			t.Fatal(known, err)
		}
	}
	golden(t, "findings-80.txt", list.Bytes())
	golden(t, "finding-coarse-lock-80.txt", one.Bytes())
	for _, line := range strings.Split(list.String()+one.String(), "\n") {
		if len(line) > 80 || strings.HasSuffix(line, "...") {
			t.Errorf("does not fit: %s", line)
		}
	}

	n := strings.Count(list.String(), "\n")
	if strings.Contains(list.String(), "eserved") || n != len(explain.Docs())-5 {
		t.Errorf("%d lines, of findings that no rule reports too:\n%s", n, &list)
	}
	if known, err := FindingDocs(new(bytes.Buffer), "smt-sharing", Style{}); !known || err != nil {
		t.Error(known, err)
	}
	if known, err := FindingDocsJSON(&all, ""); !known || err != nil {
		t.Fatal(known, err)
	}
	dec := json.NewDecoder(&all)
	for _, want := range explain.Docs() {
		var got explain.Doc
		if err := dec.Decode(&got); err != nil || got.Kind != "finding-doc" || got.Name != want.Name {
			t.Errorf("%+v, %v; want %s", got, err, want.Name)
		}
	}

	for _, name := range []string{"coarse", "Coarse-Lock", "./coarse-lock"} {
		var b bytes.Buffer
		if known, err := FindingDocs(&b, name, Style{}); known || err != nil || b.Len() > 0 {
			t.Errorf("%s: %v %v %s", name, known, err, b.String())
		}
		if known, err := FindingDocsJSON(&b, name); known || err != nil || b.Len() > 0 {
			t.Errorf("%s: %v %v %s", name, known, err, b.String())
		}
	}
}

// TestRangeOfFinding: the page says in how many measured fixes ranges held, if that is known.
func TestRangeOfFinding(t *testing.T) {
	for _, x := range []struct {
		r    *explain.Range
		want string
	}{
		{&explain.Range{Programs: 34, Held: 0.81, Width: 0.35, Distance: 0.123, Own: true}, "81% of the measured " +
			"gains of 34 programs with this finding (median width 35%); estimates differed from these gains by 12 " +
			"points on average"},
		{&explain.Range{Programs: 90, Held: 0.78, Width: 0.4, Distance: 0.08}, "78% of the measured gains of 90 " +
			"programs with any finding (median width 40%); estimates differed from these gains by 8 points " +
			"on average"},
		{nil, ""},
	} {
		var b strings.Builder
		writeFindingDoc(&b, explain.Doc{Name: "coarse-lock", Range: x.r}, Style{})
		text := strings.Join(strings.Fields(b.String()), " ")
		if strings.Contains(text, "plausible") != (x.want != "") || !strings.Contains(text, x.want) {
			t.Errorf("%+v: %s", x.r, text)
		}
	}
}

// A bound on the number of goroutines saves memory, as its fix says. Of other findings without a gain, the saving is
// unknown.
func TestSummaryWithoutGain(t *testing.T) {
	for name, want := range map[explain.Name]string{explain.UnboundedSpawn: "saves memory",
		explain.GoroutineLeak: "no estimate"} {
		var b strings.Builder
		writeSummary(&b, []explain.Finding{{Rank: 1, Name: name, Where: []string{"a.go:1"}}}, Style{Width: 80})
		if got := strings.TrimSpace(b.String()); got != "1 "+string(name)+"  a.go:1  "+want {
			t.Errorf("%q", got)
		}
	}
}
