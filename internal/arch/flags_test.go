package arch

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"testing"
)

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
// command, and the examples.
var commandFolders = []string{"internal/cli", "proof", "examples"}

// flagName finds flags in the text of a string literal, including those that a format completes, as in "--%s".
var flagName = regexp.MustCompile(`(^|[^-\w])(--[a-z%][a-z-]*)`)

// libraryFlags keeps flags out of libraries, whose callers may not have a command line.
func libraryFlags(f *file) (wrong []string) {
	for _, flag := range flagsIn(f) {
		wrong = append(wrong, flag+"; name the option in plain words, or return a plan.Refusal")
	}
	return wrong
}

// flagsIn returns the flags of Brewput in the string literals of a library, each with its position.
func flagsIn(f *file) (flags []string) {
	if f.test || within(f.pkg, commandFolders) {
		return nil
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		for _, match := range flagName.FindAllStringSubmatch(lit.Value[1:], -1) {
			excepted := slices.ContainsFunc(flagsOfOthers, func(o flagOfOther) bool {
				return o.file == f.path && o.flag == match[2]
			})
			if !excepted {
				flags = append(flags, fmt.Sprintf("%s: the flag %s in a library", f.at(n), match[2]))
			}
		}
		return true
	})
	return flags
}

// TestFlagLists checks that each exception of the rule on flags is still needed.
func TestFlagLists(t *testing.T) {
	files := map[string]*file{}
	for _, f := range load(t) {
		files[f.path] = f
	}
	for _, o := range flagsOfOthers {
		if f := files[o.file]; f == nil || o.reason == "" || !regexp.MustCompile(o.flag+`\b`).Match(f.text) {
			t.Errorf("%s does not use %s, or there is no reason: delete it from flagsOfOthers", o.file, o.flag)
		}
	}
}
