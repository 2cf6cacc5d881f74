package explain_test

import (
	"fmt"
	"time"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/explain"
)

// A program spends 80% of its CPU time in system calls that write a few bytes each, called at main.go:16.
func ExampleExplain() {
	frame := func(function, file string, line int) evidence.Frame {
		return evidence.Frame{Function: function, File: file, Line: line}
	}
	work := []evidence.Frame{
		frame("main.format", "/src/words/main.go", 9),
		frame("main.main", "/src/words/main.go", 15),
	}
	write := []evidence.Frame{
		frame("syscall.write", "/go/src/syscall/syscall.go", 1),
		frame("internal/poll.(*FD).Write", "/go/src/internal/poll/fd.go", 2),
		frame("os.(*File).Write", "/go/src/os/file.go", 3),
		frame("main.main", "/src/words/main.go", 16),
	}
	report := explain.Explain(&evidence.Evidence{
		Program: evidence.Program{Name: "words", Module: "example.com/words", Dir: "/src/words"},
		Runs: []evidence.Run{{CPUs: 2, MachineCPUs: 2, Count: 3, Wall: time.Second, WallLow: time.Second,
			WallHigh: time.Second, User: time.Second, Reads: -1, ReadBytes: -1, Writes: 500_000,
			WriteBytes: 3_000_000}},
		Profiles: []evidence.Profile{{
			Kind: evidence.CPU, Types: []string{"samples/count", "cpu/nanoseconds"}, Duration: time.Second,
			Samples: []evidence.Sample{
				{Stack: work, Values: []int64{20, 200e6}}, {Stack: write, Values: []int64{80, 800e6}},
			},
		}},
	})

	f := report.Findings[0]
	fmt.Printf("%s at %s, %s confidence\n", f.Name, f.Where[0], f.Confidence)
	fmt.Println(f.Fix)
	// Output:
	// unbuffered-io at main.go:16, high confidence
	// Use bufio.NewWriter and Flush, unless crash recovery needs each write.
}
