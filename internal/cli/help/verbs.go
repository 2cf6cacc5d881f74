package help

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// workloads is the group of the workloads below run, sim and explain.
const workloads = "workloads"

// verbGroups are the verbs in the order of the help: first what needs no workload.
var verbGroups = []struct{ title, verbs string }{
	{"Your own code:", "explain bench gate compare"},
	{"Designs, in workloads of yours or built in:", "list source show run sim new"},
	{"This machine:", "doctor calibrate"},
	{"Others:", "schema version completion help"},
}

// place returns the position of a verb in the help: its group, and its place there. A verb that no group has is last.
func place(verb string) (group, position int) {
	for i, g := range verbGroups {
		if at := slices.Index(strings.Fields(g.verbs), verb); at >= 0 {
			return i, at
		}
	}
	return len(verbGroups) - 1, 100
}

func inOrder(verbs []*cobra.Command) []*cobra.Command {
	return slices.SortedStableFunc(slices.Values(verbs), func(a, b *cobra.Command) int {
		g, i := place(a.Name())
		h, j := place(b.Name())
		return cmp.Or(cmp.Compare(g, h), cmp.Compare(i, j))
	})
}

// Install gives a command and its verbs their texts, groups and aliases of flags, and lets them write their help with
// at most width columns. isWorkload tells workloads, whose names are verbs below run, sim and explain, from others.
func Install(root *cobra.Command, isWorkload func(string) bool, width int) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { Write(cmd.OutOrStdout(), cmd, width) })
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		writeUsage(cmd.OutOrStderr(), cmd, width)
		return nil
	})
	for _, g := range verbGroups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
	}
	at := func(verb string) string { g, _ := place(verb); return verbGroups[g].title }
	root.SetHelpCommandGroupID(at("help"))
	root.SetCompletionCommandGroupID(at("completion"))

	describe(root, "brewput")
	defer root.AddCommand(manCommand(root.Name()))
	for _, c := range root.Commands() {
		if c.GroupID = at(c.Name()); c.Name() == "help" {
			continue
		}
		if describe(c, c.Name()); c.Name() == "completion" {
			c.Short, c.Args, c.RunE = "Print a completion script for your shell", root.Args, root.RunE
			completeLists(c)
		}
		for _, sub := range c.Commands() {
			if isWorkload(sub.Name()) {
				sub.GroupID = workloads
			}
		}
		if hasWorkloads(c) {
			c.AddGroup(&cobra.Group{ID: workloads, Title: "Workloads:"})
		}
		addAliases(c, c.Name())
	}
}

// describe gives a command the texts of a verb.
func describe(cmd *cobra.Command, verb string) {
	long, examples := Text(verb)
	program := strings.NewReplacer("NAME", cmd.Root().Name())
	cmd.Long, cmd.Example = program.Replace(long), program.Replace(examples)
}

// hasWorkloads reports whether the children of a command are workloads.
func hasWorkloads(cmd *cobra.Command) bool {
	return slices.ContainsFunc(cmd.Commands(), func(c *cobra.Command) bool { return c.GroupID == workloads })
}

// completeLists corrects the script for bash, which offers nothing after a comma, as in --designs a,b: it compares what
// is typed with candidates whose commas it has escaped.
func completeLists(completion *cobra.Command) {
	bash, _, err := completion.Find([]string{"bash"})
	if err != nil || bash == completion {
		return
	}
	const matches = `        [[ $comp == "$cur"* ]] || continue`
	bash.RunE = func(cmd *cobra.Command, _ []string) error {
		plain, err := cmd.Flags().GetBool("no-descriptions")
		if err != nil {
			return err
		}
		var script strings.Builder
		if err := cmd.Root().GenBashCompletionV2(&script, !plain); err != nil {
			return err
		}
		_, err = fmt.Fprint(cmd.Root().OutOrStdout(),
			strings.Replace(script.String(), matches, "        comp=${comp//\\\\,/,}\n"+matches, 1))
		return err
	}
}
