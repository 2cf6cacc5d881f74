package lab_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/brewput/brewput/lab"
)

// A refusal names the option as the caller's users write it. Nothing was measured.
func ExampleBench() {
	_, err := lab.Bench(context.Background(), lab.BenchOptions{Package: "./codec", Env: []string{"GOGC=100,abc"}})

	var refusal *lab.Refusal
	if errors.As(err, &refusal) {
		fmt.Println(err)
		fmt.Println(refusal.Text(func(option string) string { return "--" + option }))
	}
	// Output:
	// env GOGC=100,abc: "abc" is no level of GOGC; give a whole number of percent, 0 or more, or off
	// --env GOGC=100,abc: "abc" is no level of GOGC; give a whole number of percent, 0 or more, or off
}

// A gate needs a revision to compare with.
func ExampleGate() {
	_, err := lab.Gate(context.Background(), lab.GateOptions{MaxRegression: 0.05})
	fmt.Println(err)
	// Output: gate needs base, the revision to compare with, such as main
}
