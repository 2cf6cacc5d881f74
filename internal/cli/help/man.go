package help

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// manCommand is a hidden verb that writes the manual pages, for packages and make man.
func manCommand(program string) *cobra.Command {
	const text = `Write the manual page of NAME, and one of each verb, into the directory DIR. To
read one on the screen:

    NAME man pages && man pages/NAME-gate.1

NAME help gate prints the same text without man.`
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write manual pages",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		Long:   strings.ReplaceAll(text, "NAME", program),
		RunE:   func(cmd *cobra.Command, args []string) error { return writeMan(cmd.Root(), args[0]) },
	}
}

// writeMan writes a manual page for a command and for each verb below it into a directory. Workloads have none.
func writeMan(cmd *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, pageName(cmd)+".1"), []byte(manPage(cmd)), 0o666); err != nil {
		return err
	}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && c.GroupID != workloads {
			if err := writeMan(c, dir); err != nil {
				return err
			}
		}
	}
	return nil
}

func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manPage is the manual page of a command, in roff.
func manPage(cmd *cobra.Command) string {
	var b strings.Builder
	program := cmd.Root().Name()
	fmt.Fprintf(&b, ".TH %q 1 \"\" %q \"Manual of %s\"\n", strings.ToUpper(pageName(cmd)), program, program)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(pageName(cmd)), roff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(cmd.CommandPath()))
	if rest := strings.TrimSpace(strings.TrimPrefix(useLine(cmd), cmd.CommandPath())); rest != "" {
		b.WriteString(roff(rest) + "\n")
	}
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	b.WriteString(".SH DESCRIPTION\n" + roffText(text))

	var verbs []*cobra.Command
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && c.GroupID != workloads {
			verbs = append(verbs, c)
		}
	}
	if verbs != nil {
		fmt.Fprintf(&b, ".SH %s\n", strings.ToUpper(title(cmd)))
	}
	for _, c := range inOrder(verbs) {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s; see\n.BR %s (1).\n", roff(c.Name()), roff(c.Short), roff(pageName(c)))
	}

	b.WriteString(".SH OPTIONS\n")
	for _, g := range flagGroups(cmd) {
		if g.title != "Flags" {
			fmt.Fprintf(&b, ".SS %s\n", roff(g.title))
		}
		for _, f := range g.flags {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(strings.TrimSpace(f.names)), roff(f.text))
		}
	}
	if cmd.Example != "" {
		b.WriteString(".SH EXAMPLES\n" + verbatim(strings.Split(strings.TrimSpace(examples(cmd, "", 72)), "\n")))
	}
	if !cmd.HasParent() {
		b.WriteString(".SH EXIT STATUS\n" + roffText(exitStatus) + ".SH ENVIRONMENT\n" + roffText(variables) +
			".SH FILES\n" + roffText(files))
		return b.String()
	}
	fmt.Fprintf(&b, ".SH SEE ALSO\n.BR %s (1)\n", roff(pageName(cmd.Parent())))
	return b.String()
}

// Parts of the manual page that are no part of the help.
const (
	exitStatus = `    0    success, whatever the verdict
    1    wrong answer or violation; gate: a benchmark regressed;
         doctor --strict: a check is not good
    2    wrong use; nothing was measured
    3    gate: undecided
    4    a trial, benchmark or program failed
    130  interrupted; what was measured is kept`
	variables = `NO_COLOR switches colours off. COLUMNS is the width of pages and help. BREWPUT_COUNT and
the like set flags that are not given. BREWPUT_CONFIG=off ignores brewput.conf.
BREWPUT_PLUGINS is the absolute path of brewput-extra, or of its directory.`
	files = `brewput.conf in the root of the module, and brewput/brewput.conf in $XDG_CONFIG_HOME or
~/.config, hold defaults of flags: lines such as

    run.count = 20

They may set count, duration, budget, format and cpus of run, sim, bench, gate, compare
and explain.`
)

// roffText is a text with paragraphs and indented lines in roff.
func roffText(text string) string {
	var b strings.Builder
	var indented []string
	flush := func() {
		if indented != nil {
			b.WriteString(verbatim(indented))
			indented = nil
		}
	}
	paragraph := true // the next line begins one
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		switch {
		case line == "":
			flush()
			paragraph = true
		case strings.HasPrefix(line, " "):
			indented, paragraph = append(indented, line), true
		default:
			flush()
			if paragraph {
				b.WriteString(".PP\n")
			}
			b.WriteString(roff(line) + "\n")
			paragraph = false
		}
	}
	flush()
	return b.String()
}

// verbatim is lines that are not filled.
func verbatim(lines []string) string {
	var b strings.Builder
	b.WriteString(".PP\n.nf\n")
	for _, line := range lines {
		b.WriteString(roff(line) + "\n")
	}
	return b.String() + ".fi\n"
}

// roff escapes a line of text, so that no part of it is a request.
func roff(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "^", `\(ha`, "~", `\(ti`, "`", `\(ga`).Replace(line)
	if strings.HasPrefix(line, ".") {
		line = `\&` + line
	}
	return line
}
