package gobench

import "testing"

// FuzzReadFile checks that no text causes a panic, and that each trial belongs to one of the cases.
func FuzzReadFile(f *testing.F) {
	f.Add([]byte("goos: linux\npkg: x\nBenchmarkX-2 100 12.5 ns/op 3 B/op\nblock 1 of abc\nBenchmarkX-2 100 12 " +
		"ns/op\n"))
	f.Add([]byte("block 99999999999999999999 of x\nUnit x better=higher\nBenchmark/-- 1 NaN x\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := parseFile(t.Context(), "fuzz", text)
		if err != nil {
			return
		}
		known := map[string]bool{}
		for _, c := range file.Cases {
			known[c.Design+" "+c.Point.String()] = true
		}
		for _, x := range file.Trials {
			if !known[x.Design+" "+x.Point.String()] {
				t.Fatalf("the trial %s (%s) is of no case", x.Design, x.Point)
			}
		}
	})
}

// FuzzParse checks that no output of a test binary causes a panic.
func FuzzParse(f *testing.F) {
	f.Add("BenchmarkX-2 \t 100\t 12.5 ns/op\n", 2)
	f.Fuzz(func(t *testing.T, text string, cpus int) {
		for _, l := range Parse(text, cpus) {
			l.Metrics()
		}
		Directions(text)
		tail(text)
		headline(text)
	})
}
