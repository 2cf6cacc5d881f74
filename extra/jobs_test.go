package extra

import (
	"os"
	"testing"

	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/extra/remote"
	"github.com/brewput/brewput/internal/workloadtest"
)

func TestMain(m *testing.M) {
	remote.Main(Servers()...)
	os.Exit(m.Run())
}

// TestJobs runs each design at several points. The checks of the workloads verify the answers.
func TestJobs(t *testing.T) {
	points := map[string][]string{
		"identity": {"calls=1 callers=1", "calls=100 callers=3 reply=1us", "calls=1000 callers=16",
			"calls=2000 callers=200 reply=2us"}, // calls come while others begin
		"set": {"calls=1 goroutines=1", "calls=2000 goroutines=4 keys=2 read=0", "calls=20000 read=0.5 skew=zipf",
			"calls=5000 keys=100000 read=1"},
		"journal": {"appends=1 callers=1 entry=0", "appends=300 callers=16 gets=2",
			"appends=20 callers=2 entry=200000"},
		"peers":     {"identities=5 faults=2"},        // its own tests have more
		"messenger": {"messages=20 clients=2 tls=on"}, // its own tests have more
	}
	for _, w := range Workloads() {
		for _, d := range w.Designs {
			for _, settings := range points[w.Name] {
				t.Run(w.Name+"/"+d.Name+" "+settings, func(t *testing.T) {
					p := workloadtest.Point(t, w, settings).Only(w.FactorsOf(d))
					a, err := workloadtest.Answer(t, live.New(live.Config{Seed: 1, BurnRate: 1}).Run, d, p)
					if err != nil || a == nil {
						t.Errorf("answer %v, %v", a, err)
					}
				})
			}
		}
	}
}
