package result

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/brewput/brewput/internal/schema"
)

// TestMetricsDescribed checks that the JSON schema of trials describes every metric of the contract.
func TestMetricsDescribed(t *testing.T) {
	text, _ := schema.Of("trial")
	var trial struct {
		Defs struct {
			Metrics struct {
				Properties        map[string]json.RawMessage
				PatternProperties map[string]json.RawMessage
			}
		} `json:"$defs"`
	}
	if err := json.Unmarshal(text, &trial); err != nil {
		t.Fatal(err)
	}
	described := trial.Defs.Metrics
	check := func(name string) {
		_, ok := described.Properties[name]
		for pattern := range described.PatternProperties {
			ok = ok || regexp.MustCompile(pattern).MatchString(name)
		}
		if !ok {
			t.Errorf("%q has no description: add it to metrics in internal/schema/defs.json", name)
		}
	}

	for _, name := range metrics {
		check(name)
	}
	for _, prefix := range timed {
		check(prefix + "_mean_ns")
		check(prefix + "_sd_ns")
		for _, q := range Quantiles {
			check(prefix + "_" + q.Name + "_ns")
		}
	}
}
