package help

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// Width is the width of help on a terminal, which is 0 without one: 60 to 100 columns, and 80 where nothing is known.
// The variable COLUMNS overrides the terminal.
func Width(columns string, terminal int) int {
	if n, err := strconv.Atoi(columns); err == nil && n > 0 {
		terminal = n
	}
	if terminal <= 0 {
		return 80
	}
	return min(max(terminal, 60), 100)
}

// screen is the number of lines of a terminal on which usage, purpose and examples of a verb must fit.
const screen = 24

// Write writes the help of a command, at most width columns wide. The first screen of a verb has its usage, what it
// does and examples. Flags follow, and last the part of the text for which the screen had no room.
func Write(w io.Writer, cmd *cobra.Command, width int) {
	text := cmd.Long
	if text == "" {
		text = cmd.Short
	}
	text = reflow(text, width)
	if !cmd.HasParent() {
		fmt.Fprintf(w, "%s\n\n", text)
		writeUsage(w, cmd, width)
		return
	}
	usage, last := usageOf(cmd, width), examplesOf(cmd, width)
	lines := screen - strings.Count(usage+last, "\n") - 2 // a blank line, and that of the prompt
	first, rest := firstParagraphs(text, lines)
	fmt.Fprintf(w, "%s\n%s\n%s", usage, first, last)
	writeFlags(w, cmd, width)
	if rest != "" {
		fmt.Fprintf(w, "\nDetails:\n\n%s\n", rest)
	}
}

// firstParagraphs returns the first paragraphs of a text that fit into a number of lines, at least one, and the rest. A
// paragraph that ends in a colon stays with the next.
func firstParagraphs(text string, lines int) (first, rest string) {
	paragraphs := strings.Split(text, "\n\n")
	n := 1
	for i := range paragraphs {
		head := strings.Join(paragraphs[:i+1], "\n\n")
		if i > 0 && !strings.HasSuffix(first, ":") && strings.Count(head, "\n")+1 > lines {
			break
		}
		first, n = head, i+1
	}
	return first, strings.Join(paragraphs[n:], "\n\n")
}

// usageOf is the usage of a command.
func usageOf(cmd *cobra.Command, width int) string {
	return fmt.Sprintf("Usage:\n%s\n", wrap(useLine(cmd), "  ", "      ", "", width))
}

// examplesOf are the examples of a command after a blank line; "" if it has none.
func examplesOf(cmd *cobra.Command, width int) string {
	if cmd.Example == "" {
		return ""
	}
	return "\nExamples:\n" + examples(cmd, "  ", width)
}

// writeUsage writes the help of a command without its text.
func writeUsage(w io.Writer, cmd *cobra.Command, width int) {
	fmt.Fprint(w, usageOf(cmd, width), examplesOf(cmd, width))
	writeFlags(w, cmd, width)
}

// writeFlags writes the verbs below a command, and its flags.
func writeFlags(w io.Writer, cmd *cobra.Command, width int) {
	for _, g := range cmd.Groups() {
		writeVerbs(w, cmd, g.ID, g.Title, width)
	}
	writeVerbs(w, cmd, "", title(cmd)+":", width)

	for _, g := range flagGroups(cmd) {
		fmt.Fprintf(w, "\n%s:\n", g.title)
		left := 0
		for _, f := range g.flags {
			left = max(left, len(f.names))
		}
		for _, f := range g.flags {
			fmt.Fprintln(w, wrap(f.text, "  "+f.names+strings.Repeat(" ", left-len(f.names)+3),
				strings.Repeat(" ", left+5), "", width))
		}
	}
	if !cmd.HasParent() {
		fmt.Fprintf(w, "\n%s VERB --help describes a verb and its flags.\n", cmd.Name())
	}
}

// title is what the children of a command are.
func title(cmd *cobra.Command) string {
	if cmd.Name() == "completion" {
		return "Shells"
	}
	return "Verbs"
}

// examples are the examples of a command. A comment that does not fit stands above its command.
func examples(cmd *cobra.Command, indent string, width int) string {
	var b strings.Builder
	for line := range strings.Lines(cmd.Example) {
		command, comment, _ := strings.Cut(line, "#")
		if comment != "" && len(indent)+len(strings.TrimSpace(line)) > width {
			b.WriteString(wrap(comment, indent+"# ", indent+"# ", "", width) + "\n")
			line = command
		}
		b.WriteString(wrap(line, indent, indent+"    ", ` \`, width) + "\n")
	}
	return b.String()
}

// writeVerbs writes the verbs of a group, if it has any. Workloads take one line, because `list` describes them.
func writeVerbs(w io.Writer, cmd *cobra.Command, group, title string, width int) {
	var names []string
	var verbs []*cobra.Command
	for _, c := range cmd.Commands() {
		if c.GroupID == group && (c.IsAvailableCommand() || c.Name() == "help") {
			names, verbs = append(names, c.Name()), append(verbs, c)
		}
	}
	switch {
	case names == nil:
		return
	case group == workloads:
		text := fmt.Sprintf("%s; %s list describes them, and %s %s --help their factors.", strings.Join(names, ", "),
			cmd.Root().Name(), cmd.CommandPath(), names[0])
		fmt.Fprintf(w, "\n%s\n", wrap(text, title+" ", "  ", "", width))
		return
	}
	fmt.Fprintf(w, "\n%s\n", title)
	for _, c := range inOrder(verbs) {
		fmt.Fprintln(w, wrap(c.Short, fmt.Sprintf("  %-11s ", c.Name()), strings.Repeat(" ", 14), "", width))
	}
}

func useLine(cmd *cobra.Command) string {
	if cmd.HasAvailableSubCommands() && !hasWorkloads(cmd) {
		return cmd.CommandPath() + " " + strings.ToUpper(strings.TrimSuffix(title(cmd), "s")) + " [flags]"
	}
	return cmd.UseLine()
}

// reflow fills paragraphs up to a width. Indented lines stay lines.
func reflow(text string, width int) string {
	var out []string
	paragraph := ""
	flush := func() {
		if paragraph != "" {
			out = append(out, wrap(paragraph, "", "", "", width))
			paragraph = ""
		}
	}
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		words := strings.TrimLeft(line, " ")
		switch indent := line[:len(line)-len(words)]; {
		case line == "":
			flush()
			out = append(out, "")
		case indent != "":
			flush()
			out = append(out, wrap(words, indent, indent+"   ", "", width))
		default:
			paragraph += line + " "
		}
	}
	flush()
	return strings.Join(out, "\n")
}

// wrap breaks a text between words, so that no line is longer than width with first, or later lines with next, before
// it, and more after a line that is continued. Several spaces stay, except at a break.
func wrap(text, first, next, more string, width int) string {
	text = strings.TrimSpace(text)
	var out strings.Builder
	for out.WriteString(first); ; out.WriteString(next) {
		room := width - len([]rune(first))
		runes := []rune(text)
		if len(runes) <= room {
			out.WriteString(text)
			return out.String()
		}
		head := string(runes[:max(room-len(more)+1, 1)])
		end := strings.LastIndexByte(head, ' ')
		if option := strings.LastIndex(head, " -"); more != "" && option > 0 {
			end = option
		}
		if end <= 0 { // a word that is too long
			if end = strings.IndexByte(text, ' '); end < 0 {
				out.WriteString(text)
				return out.String()
			}
		}
		out.WriteString(strings.TrimRight(text[:end], " ") + more + "\n")
		text, first = strings.TrimLeft(text[end:], " "), next
	}
}
