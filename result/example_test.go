package result_test

import (
	"encoding/json"
	"fmt"

	"github.com/brewput/brewput/result"
)

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
