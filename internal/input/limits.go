package input

import "fmt"

// Kind is what an input is meant to be. It decides the limits.
type Kind int

// The kinds of input.
const (
	Profile    Kind = iota // in the format of pprof
	Trace                  // of Go's execution tracer; it is read piece by piece
	Benchmarks             // in the Go benchmark format
	AllowList              // of gate
	Arrivals               // of an open loop, a time a line
	Costs                  // of real code, as --record-costs writes them
	Source                 // of a program
	Program                // an executable file
	Settings               // a small file of Brewput or of the go command, such as go.mod
	Figures                // what a hook wrote of a run
	Stdin                  // for the runs of a program
	Words                  // between a trial and its parent
	Output                 // of a tool, such as the go command
	Journal                // of a run, and its histograms; package store limits their lines
	Copied                 // of this program's own, between two file systems
)

// limits are the bounds of a kind of input.
type limits struct {
	what  string
	bytes int64
	line  int // bytes without the line's end; 0: lines have no meaning here
	do    string
}

const (
	kb = 1 << 10
	mb = 1 << 20
	gb = 1 << 30
)

// limitsOf are the limits of each kind: generous beside what tools write, and small beside a machine's memory where the
// input is held in it.
var limitsOf = [...]limits{
	Profile:    {"a profile", 256 * mb, 0, "take it over a shorter time"},
	Trace:      {"a trace", 64 * gb, 0, "record a shorter time"},
	Benchmarks: {"a file of benchmark results", 256 * mb, mb, "give what go test -bench printed, without other output"},
	AllowList:  {"an allow-list", mb, 16 * kb, "write one exception a line: benchmark, metric, last day, reason"},
	Arrivals:   {"a file of arrivals", 64 * mb, 4 * kb, "write one time a line, and fewer of them; they are repeated"},
	Costs:      {"a file of costs", 2 * gb, mb, "make it with --record-costs FILE"},
	Source:     {"a source file", 4 * mb, 0, "split it"},
	Program:    {"a program", 4 * gb, 0, "link it without what it embeds"},
	Settings:   {"a file of settings", 4 * mb, 0, "remove or repair it"},
	Figures:    {"what a run wrote of itself", 16 * mb, 0, "run it again"},
	Stdin:      {"standard input", 256 * mb, 0, "give the program the name of a file"},
	Words: {"what a trial and its parent say to each other", 512 * mb, 0,
		"give it fewer recorded arrivals, or a shorter trial"},
	Output:  {"the output of a tool", 256 * mb, 0, "run the tool by hand to see what it prints"},
	Journal: {"a file of a run", 64 * gb, 0, "give another run"},
	Copied:  {"a file that is moved", 64 * gb, 0, "free space next to it"},
}

func (k Kind) limits() limits { return limitsOf[k] }

// Bytes is the most that an input of this kind may have.
func (k Kind) Bytes() int64 { return limitsOf[k].bytes }

// tooLarge refuses an input that has too many bytes.
func tooLarge(name string, l limits) error {
	return Refuse("%s has more than %s, the limit for %s: %s", name, size(l.bytes), l.what, l.do)
}

// tooLong refuses a line, which is counted from 1.
func tooLong(name string, line int, l limits) error {
	return Refuse("%s:%d: the line has more than %s, the limit for a line of %s: %s", name, line, size(int64(l.line)),
		l.what, l.do)
}

// size is a number of bytes in words.
func size(n int64) string {
	switch {
	case n >= gb && n%gb == 0:
		return fmt.Sprintf("%d GB", n/gb)
	case n >= mb && n%mb == 0:
		return fmt.Sprintf("%d MB", n/mb)
	case n >= kb && n%kb == 0:
		return fmt.Sprintf("%d KB", n/kb)
	}
	return fmt.Sprintf("%d bytes", n)
}
