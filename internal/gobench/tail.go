package gobench

import (
	"regexp"
	"slices"
	"strings"
)

// What a message has room for.
const (
	tailLines   = 20
	beforeStack = 4 // of them, lines before a dump of stacks, which say why it is there
)

var (
	stackHead = regexp.MustCompile(`^goroutine \d+ .*\[.+\]:$`)
	registers = regexp.MustCompile(`^([a-z]+[0-9]*\s+0x[0-9a-f]+\s*)+$`)
)

// tail is the end of a text, for messages. Of one that ends in a dump of stacks it is the reason and the beginning of
// the stack that says where the program is: the end of a dump are the registers.
func tail(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	at := slices.IndexFunc(lines, stackHead.MatchString)
	if at < 0 {
		return strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
	}
	kept := append(slices.Clone(lines[max(0, at-beforeStack):at]), telling(lines[at:])...)
	return strings.TrimSpace(strings.Join(kept[:min(len(kept), tailLines)], "\n"))
}

// telling is a dump, without registers, from the first stack on that is the program's own. Before it may stand the
// runtime's own goroutines, and those in which package testing waits for a benchmark.
func telling(dump []string) []string {
	dump = slices.DeleteFunc(slices.Clone(dump), registers.MatchString)
	for i, line := range dump {
		if stackHead.MatchString(line) && ofProgram(dump[i+1:]) {
			return dump[i:]
		}
	}
	return dump
}

// ofProgram reports whether the function in which a stack's goroutine is, but for what it called to wait, is neither
// the runtime's nor package testing's.
func ofProgram(stack []string) bool {
	for _, line := range stack {
		switch {
		case strings.HasPrefix(line, "\t"):
		case strings.HasPrefix(line, "runtime.") || strings.HasPrefix(line, "internal/") ||
			strings.HasPrefix(line, "sync."):
		default:
			return line != "" && !strings.HasPrefix(line, "testing.") && !strings.HasPrefix(line, "created by ")
		}
	}
	return false
}
