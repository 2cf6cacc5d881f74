package lab_test

import (
	"context"
	"fmt"

	"github.com/brewput/brewput/lab"
)

// Explain reads a saved CPU profile of a program that prints each number with a system call of its own.
func ExampleExplain() {
	x, err := lab.Explain(context.Background(), lab.ExplainOptions{Target: lab.Files{"testdata/numbers.prof"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer x.Close()
	for _, f := range x.Report.Findings {
		fmt.Printf("%s at %s, %s confidence\n", f.Name, f.Where[0], f.Confidence)
		fmt.Printf("a change saves %.0f%% of the time\n", 100*f.Gain.Estimate)
		fmt.Println(f.Fix)
	}
	// Output:
	// unbuffered-io at example.com/words/main.go:16, high confidence
	// a change saves 23% of the time
	// Use bufio.NewWriter and Flush, unless crash recovery needs each write.
}
