package proc

import "strings"

const (
	// TrialVariable marks a process as the child of a trial.
	TrialVariable = "BREWPUT_TRIAL"
	// givenMaxProcs keeps the GOMAXPROCS of the user in the child of a trial, which has one of its own.
	givenMaxProcs = "BREWPUT_GIVEN_GOMAXPROCS"
)

// TrialEnv returns the environment of the child of a trial, whose GOMAXPROCS and mark have the given values.
func TrialEnv(environ []string, maxProcs, mark string) []string {
	env := make([]string, 0, len(environ)+3)
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		switch name {
		case "GOMAXPROCS":
			env = append(env, givenMaxProcs+"="+value)
		case TrialVariable, givenMaxProcs:
		default:
			env = append(env, kv)
		}
	}
	return append(env, "GOMAXPROCS="+maxProcs, TrialVariable+"="+mark)
}

// UserEnv returns the environment as the user gave it, from that of the child of a trial or of any other process.
func UserEnv(environ []string) []string {
	var env, given []string
	child := false
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		switch name {
		case "GOMAXPROCS":
			given = append(given, kv)
		case givenMaxProcs:
			env = append(env, "GOMAXPROCS="+value)
		case TrialVariable:
			child = true
		case keeperVariable, keptVariable:
		default:
			env = append(env, kv)
		}
	}
	if !child {
		env = append(env, given...)
	}
	return env
}
