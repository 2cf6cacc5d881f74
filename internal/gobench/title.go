package gobench

import "fmt"

// Title describes what is measured.
func (x *Experiment) Title() string {
	switch {
	case x.Commit == "":
		return x.Package
	case x.BaseCommit == "":
		return fmt.Sprintf("%s at %s", x.Package, x.Tree())
	}
	return fmt.Sprintf("%s: head is %s, base is %s (%s)", x.Package, x.Tree(), short(x.BaseCommit), x.BaseRev)
}

// Tree describes the revision of the head; "" outside a repository.
func (x *Experiment) Tree() string {
	switch {
	case x.Commit == "":
		return ""
	case x.Untracked:
		return short(x.Commit) + " with untracked files"
	case x.Modified:
		return short(x.Commit) + " with uncommitted changes"
	}
	return short(x.Commit)
}
