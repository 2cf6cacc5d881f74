package record

// The exit codes of campaigns.
const (
	ExitBroken    = 1 // a check failed, or a target was missed
	ExitUsage     = 2 // wrong options
	ExitUndecided = 3 // some of the campaign is left, or a result is undecided
	ExitFailed    = 4 // something else failed
)
