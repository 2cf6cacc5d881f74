package result_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/brewput/brewput/result"
)

// A program reads the trials of a run from the output of brewput run --format json. It skips records of other kinds and
// trials without numbers to compare.
func ExampleTrial() {
	output := `{"kind":"trial","schema_version":1,"design":"locking","point":{"cpus":2},"status":"ok",` +
		`"metrics":{"throughput_per_s":250,"cpu_seconds":null}}
{"kind":"trial","schema_version":1,"design":"unlocked","point":{"cpus":2},"status":"wrong-answer","metrics":{}}
{"kind":"answer","schema_version":1,"text":["locking reaches 250/s."]}
`
	for records := json.NewDecoder(strings.NewReader(output)); records.More(); {
		var t result.Trial
		if err := records.Decode(&t); err != nil {
			fmt.Println(err)
			return
		}
		if t.Kind != result.KindTrial || !t.Good() {
			continue
		}
		fmt.Println(t.Design, "on", t.Point.Int("cpus"), "CPUs:", t.Metrics.Get(result.Throughput), "per second")
		fmt.Println("CPU time known:", t.Metrics.Get(result.CPUSeconds).Known())
	}
	// Output:
	// locking on 2 CPUs: 250 per second
	// CPU time known: false
}

// A metric that could not be measured is null in JSON. Names of metrics end with their unit.
func ExampleMetrics() {
	m := result.Metrics{result.Throughput: 1000, result.CPUSeconds: result.Unavailable}
	text, err := json.Marshal(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(text))
	fmt.Println(result.UnitOf("latency_p99_ns"), result.LargerIsBetter(result.Throughput))
	// Output:
	// {"cpu_seconds":null,"throughput_per_s":1000}
	// ns true
}
