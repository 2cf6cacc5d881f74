package input

import "fmt"

// Kind is the purpose of an input, which determines its limits.
type Kind int

// The kinds of input.
const (
	Profile      Kind = iota // in pprof's format
	Trace                    // of Go's execution tracer, read piece by piece
	Benchmarks               // in the Go benchmark format
	AllowList                // of gate
	Arrivals                 // of an open loop, one time per line
	Costs                    // of real code, as sim records them
	Source                   // source file of a program
	Program                  // an executable file
	Settings                 // a small file of Brewput or of the go command, such as go.mod
	Figures                  // written by a hook during a run
	Stdin                    // standard input for the runs of a program
	Messages                 // messages between a trial and its parent
	Output                   // output of a tool, such as the go command
	Journal                  // journal or histograms of a run; package store limits their lines
	Config                   // brewput.conf, which may be a stranger's
	Manifest                 // the list of designs of another program
	Copied                   // a file of this program that moves between file systems
	Targets                  // requests of a load, in vegeta's format
	Body                     // the body of a request
	Certificates             // certificates or a key, in PEM
	Descriptors              // of the services of a gRPC server
)

// limits are the limits of a kind of input.
type limits struct {
	what  string
	bytes int64
	line  int // bytes without the line end; 0: no limit for lines
	do    string
}

const (
	kb = 1 << 10
	mb = 1 << 20
	gb = 1 << 30
)

// limitsOf are the limits of each kind. They are generous compared with what tools write. For inputs that are
// held in memory they are small compared with the memory of a machine.
var limitsOf = [...]limits{
	Profile:    {"a profile", 256 * mb, 0, "take it over a shorter time"},
	Trace:      {"a trace", 64 * gb, 0, "record a shorter time"},
	Benchmarks: {"a file of benchmark results", 256 * mb, mb, "give what go test -bench printed, without other output"},
	AllowList:  {"an allow-list", mb, 16 * kb, "write one exception a line: benchmark, metric, last day, reason"},
	Arrivals:   {"a file of arrivals", 64 * mb, 4 * kb, "write one time a line, and fewer of them; they are repeated"},
	Costs:      {"a file of costs", 2 * gb, mb, "record the costs anew"},
	Source:     {"a source file", 4 * mb, 0, "split it"},
	Program:    {"a program", 4 * gb, 0, "link it without what it embeds"},
	Settings:   {"a file of settings", 4 * mb, 0, "remove or repair it"},
	Figures:    {"what a run wrote of itself", 16 * mb, 0, "run it again"},
	Stdin:      {"standard input", 256 * mb, 0, "give the program the name of a file"},
	Messages: {"the messages between a trial and its parent", 512 * mb, 0,
		"give it fewer recorded arrivals, or a shorter trial"},
	Output:   {"the output of a tool", 256 * mb, 0, "run the tool by hand to see what it prints"},
	Journal:  {"a file of a run", 64 * gb, 0, "give another run"},
	Config:   {"a configuration", 64 * kb, 4 * kb, "write one setting a line, as in run.count = 20"},
	Manifest: {"a list of designs", 4 * mb, 0, "build the program again"},
	Copied:   {"a file that is moved", 64 * gb, 0, "free space next to it"},
	Targets:  {"a file of targets", 64 * mb, 64 * kb, "give fewer targets; they are repeated"},
	Body:     {"the body of a request", 64 * mb, 0, "send a smaller one"},

	Certificates: {"a file of certificates", 4 * mb, 0, "give a file in PEM with fewer of them"},
	Descriptors:  {"a descriptor set", 64 * mb, 0, "write one of fewer services"},
}

func (k Kind) limits() limits { return limitsOf[k] }

// Bytes returns the largest size of an input of this kind.
func (k Kind) Bytes() int64 { return limitsOf[k].bytes }

// tooLarge returns the error of an input with too many bytes.
func tooLarge(name string, l limits) error {
	return Refuse("%s has more than %s, the limit for %s: %s", name, size(l.bytes), l.what, l.do)
}

// tooLong returns the error of a line that is too long; lines are counted from 1.
func tooLong(name string, line int, l limits) error {
	return Refuse("%s:%d: the line has more than %s, the limit for a line of %s: %s", name, line, size(int64(l.line)),
		l.what, l.do)
}

// size formats a number of bytes.
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
