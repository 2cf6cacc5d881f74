package gobench

import (
	"regexp"
	"slices"
	"strings"
)

// Limits of a message.
const (
	tailLines   = 20
	beforeStack = 4 // of these, lines before a dump of stacks, which give its reason
)

var (
	stackHead = regexp.MustCompile(`^goroutine \d+ .*\[.+\]:$`)
	registers = regexp.MustCompile(`^([a-z]+[0-9]*\s+0x[0-9a-f]+\s*)+$`)
)

// tail returns the end of a text, for messages. If the text ends in a dump of stacks, it returns the reason and
// the start of the program's own stack, because a dump ends with the registers.
func tail(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	at := slices.IndexFunc(lines, stackHead.MatchString)
	if at < 0 {
		return strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
	}
	kept := append(slices.Clone(lines[max(0, at-beforeStack):at]), programStack(lines[at:])...)
	return strings.TrimSpace(strings.Join(kept[:min(len(kept), tailLines)], "\n"))
}

// programStack returns a dump without registers, from the first stack of the program on. Goroutines of the
// runtime, and those in which package testing waits for a benchmark, come before it.
func programStack(dump []string) []string {
	dump = slices.DeleteFunc(slices.Clone(dump), registers.MatchString)
	for i, line := range dump {
		if stackHead.MatchString(line) && isProgramStack(dump[i+1:]) {
			return dump[i:]
		}
	}
	return dump
}

// isProgramStack reports whether a goroutine of the program has this stack. It ignores the functions in which
// the goroutine waits, and rejects stacks of the runtime and of package testing.
func isProgramStack(stack []string) bool {
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
