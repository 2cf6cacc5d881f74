package plan

import "strings"

// LevelError is the error of a level that a workload or a verb cannot use.
// Callers find it with errors.As, to name the factor as their users write it: "--jitter" on a command line.
type LevelError struct {
	Factor string // name of the factor, such as "jitter"
	Level  string // the level as text; "" if the level does not matter
	Reason string // what is wrong with it and what to give instead
	Err    error  // the cause, or nil
}

// Error names the factor, the level and the reason.
func (e *LevelError) Error() string {
	return strings.TrimSpace(e.Factor+" "+e.Level) + ": " + e.Reason
}

// Unwrap returns the cause, or nil.
func (e *LevelError) Unwrap() error { return e.Err }
