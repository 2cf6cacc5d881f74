package extra

import (
	"testing"

	"github.com/brewput/brewput/catalog"
	"github.com/brewput/brewput/internal/plugin"
	"github.com/brewput/brewput/workload"
	"github.com/brewput/brewput/workload/source"
)

// TestDesigns checks each design: its declaration, its source, and that brewput lists it if the program is not
// installed.
func TestDesigns(t *testing.T) {
	var found []plugin.KnownDesign
	for _, w := range Workloads() {
		if err := w.Validate(); err != nil {
			t.Error(err)
		}
		core, err := workload.Find(catalog.All(), w.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range w.Designs {
			if own, ok := core.Find(d.Name); ok && own.Absent() && own.Doc == d.Doc { // brewput lists it itself
				continue
			}
			found = append(found, plugin.KnownDesign{Workload: w.Name, Design: d.Name, Doc: d.Doc})
			if _, ok := core.Find(d.Name); ok || d.Worlds != workload.LiveOnly {
				t.Errorf("%s/%s: it is in the core too, or not live only", w.Name, d.Name)
			}
			if src, err := source.Read(w, d); err != nil || src.Lines == 0 {
				t.Errorf("%s/%s: %v", w.Name, d.Name, err)
			}
		}
	}
	known := plugin.Known()
	if len(found) != len(known) {
		t.Fatalf("the program has %d designs, and brewput lists %d: %+v", len(found), len(known), found)
	}
	for i, k := range known {
		if found[i] != k {
			t.Errorf("brewput lists %+v, and the program has %+v", k, found[i])
		}
	}
}
