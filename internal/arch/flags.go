package arch

// flagOfOther is a flag of another program in a string literal of a library.
type flagOfOther struct {
	file, flag string
	reason     string
}

// flagsOfOthers are the flags in libraries that are not Brewput's.
var flagsOfOthers = []flagOfOther{
	{"catalog/words/peers.go", "--version", "argument of wc"},
	{"evidence/collect/gotest.go", "--args", "argument of go test"},
	{"doctor/load.go", "--sort", "argument of ps"},
	{"doctor/machine.go", "--sort", "argument of ps"},
	{"internal/gobench/git.go", "--end-of-options", "argument of git"},
	{"internal/gobench/git.go", "--is-shallow-repository", "argument of git"},
	{"internal/gobench/git.go", "--porcelain", "argument of git"},
	{"internal/gobench/git.go", "--quiet", "argument of git"},
	{"internal/gobench/git.go", "--show-toplevel", "argument of git"},
	{"internal/gobench/git.go", "--unshallow", "argument of git"},
	{"internal/gobench/git.go", "--verify", "argument of git"},
	{"internal/gobench/workshop.go", "--detach", "argument of git"},
	{"internal/gobench/workshop.go", "--force", "argument of git"},
	{"internal/gobench/workshop.go", "--git-common-dir", "argument of git"},
	{"internal/gobench/workshop.go", "--path-format", "argument of git"},
}

// commandFolders are the folders whose string literals may name flags: the command line, the campaigns, which run the
// command, the examples, and these lists.
var commandFolders = []string{"internal/cli", "proof", "examples", "internal/arch"}
