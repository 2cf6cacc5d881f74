package cli

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brewput/brewput/catalog"
	"github.com/brewput/brewput/internal/cli/help"
)

// testRoot is the command with the built-in workloads.
func testRoot() *cobra.Command {
	return (&app{workloads: catalog.All(), stdout: io.Discard, stderr: io.Discard, text: io.Discard}).root()
}

// visit calls f for a command and all below it.
func visit(cmd *cobra.Command, f func(*cobra.Command)) {
	f(cmd)
	for _, c := range cmd.Commands() {
		visit(c, f)
	}
}

// TestHelp checks that the help of every verb and workload fits its width and prints every default.
func TestHelp(t *testing.T) {
	n := 0
	visit(testRoot(), func(cmd *cobra.Command) {
		n++
		for _, width := range []int{60, 80, 100} {
			var b bytes.Buffer
			help.Write(&b, cmd, width)
			for line := range strings.Lines(b.String()) {
				if line = strings.TrimSuffix(line, "\n"); len([]rune(line)) > width || strings.HasSuffix(line, " ") {
					t.Errorf("%s: not at most %d columns: %q", cmd.CommandPath(), width, line)
				}
			}
		}

		var b bytes.Buffer
		help.Write(&b, cmd, 10_000)
		check := func(f *pflag.Flag) {
			if f.Hidden {
				return
			}
			value := help.Default(f)
			_, line, ok := strings.Cut(b.String(), "\n      --"+f.Name+" ")
			if f.Shorthand != "" {
				_, line, ok = strings.Cut(b.String(), "\n  -"+f.Shorthand+", --"+f.Name+" ")
			}
			line, _, _ = strings.Cut(line, "\n")
			if !ok || value != "" && !strings.Contains(line, "(default "+value) {
				t.Errorf("%s: --%s has the default %q; its help is %q", cmd.CommandPath(), f.Name, value, line)
			}
		}
		cmd.LocalFlags().VisitAll(check)
		cmd.InheritedFlags().VisitAll(check)
	})
	if n < 40 {
		t.Errorf("only %d verbs", n)
	}
}

// TestFirstScreen checks that the first screen of a verb's help has its usage, what it does and its examples, and that
// no part of its text is lost.
func TestFirstScreen(t *testing.T) {
	visit(testRoot(), func(cmd *cobra.Command) {
		if !cmd.HasParent() || !cmd.IsAvailableCommand() && cmd.Name() != "help" {
			return
		}
		var b bytes.Buffer
		help.Write(&b, cmd, 80)
		page := b.String()
		for _, line := range strings.FieldsFunc(cmd.Long, func(r rune) bool { return r == '\n' }) {
			if !strings.Contains(strings.Join(strings.Fields(page), " "), strings.Join(strings.Fields(line), " ")) {
				t.Errorf("%s: no %q in\n%s", cmd.CommandPath(), line, page)
			}
		}
		if cmd.Example == "" {
			return
		}
		before, rest, ok := strings.Cut(page, "\n\nExamples:\n")
		list, _, _ := strings.Cut(rest, "\n\n")
		if lines := strings.Count(before+list, "\n") + 4; !ok || !strings.HasPrefix(page, "Usage:\n") || lines > 23 {
			t.Errorf("%s: its examples end in line %d of\n%s", cmd.CommandPath(), lines, page)
		}
	})
}

// TestAliasesAreOffered checks that completion offers the aliases of a verb's flags, and parses them nevertheless.
func TestAliasesAreOffered(t *testing.T) {
	for args, want := range map[string]string{
		"bench --bl":                  "--blocks",
		"run coffee --window 1s --bl": "--blocks",
		"run --pai":                   "--pairs",
		"run coffee --pairs n":        "neighbours all",
		"sim coffee --r":              "--record-costs --replay-costs --resume --rate --replications --run-dir",
		"sim coffee --blocks":         "",
		"explain coffee --wat":        "--watch",
		"compare --max":               "--max-regression",
		"gate --max-":                 "--max-blocks --max-regression",
		"doctor --no":                 "--no-noise-floor",
		"list --co":                   "",
		"bench --cpu":                 "--cpu --cpus",
	} {
		root, words := testRoot(), append([]string{cobra.ShellCompNoDescRequestCmd}, strings.Fields(args)...)
		help.OfferAliases(root, words)
		var b bytes.Buffer
		root.SetOut(&b)
		root.SetArgs(words)
		if err := root.Execute(); err != nil {
			t.Errorf("%s: %v", args, err)
		}
		offered, _, _ := strings.Cut(b.String(), ":")
		if got := strings.Join(strings.Fields(offered), " "); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}

// TestAliases checks that an alias sets the flag that it stands for, of its own verb only.
func TestAliases(t *testing.T) {
	for _, c := range []struct{ verb, args, flag, want string }{
		{"run coffee", "--blocks 7", "count", "7"},
		{"sim coffee", "--replications=3", "count", "3"},
		{"gate", "--max-blocks 9", "count", "9"},
		{"bench", "--benchtime 2s", "duration", "2s"},
		{"bench", "--benchtime 200x", "duration", "200x"},
		{"gate", "--cpu 1,2", "cpus", "1,2"},
		{"explain coffee", "--watch 3s", "duration", "3s"},
		{"explain", "--total-time 3s", "time-limit", "3s"},
		{"run coffee", "--replications 3", "", "unknown flag: --replications"},
		{"compare", "--blocks 3", "count", "3"},
		{"explain", "--blocks 3", "", "unknown flag: --blocks"},
	} {
		cmd, _, err := testRoot().Find(strings.Fields(c.verb))
		if err != nil {
			t.Fatal(err)
		}
		switch err := cmd.ParseFlags(strings.Fields(c.args)); {
		case c.flag == "":
			if err == nil || err.Error() != c.want {
				t.Errorf("%s %s: %v, want %s", c.verb, c.args, err, c.want)
			}
		case err != nil:
			t.Errorf("%s %s: %v", c.verb, c.args, err)
		default:
			f := cmd.Flags().Lookup(c.flag)
			if f.Value.String() != c.want || !f.Changed {
				t.Errorf("%s %s: --%s is %s, want %s", c.verb, c.args, c.flag, f.Value, c.want)
			}
		}
	}
}
