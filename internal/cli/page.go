package cli

import (
	"bytes"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/brewput/brewput/internal/cli/option"
	"github.com/brewput/brewput/internal/pager"
	"github.com/brewput/brewput/report"
)

// page prints a page in the style of stdout. A page that is longer than the terminal goes through a pager, unless the
// verb goes on afterwards, because an interrupt of the pager would end it.
func (a *app) page(write func(io.Writer, report.Style) error) error {
	var b bytes.Buffer
	if err := write(&b, a.pageStyle()); err != nil {
		return err
	}
	if o, ok := a.stdout.(*dataWriter); ok && !a.goesOn && pager.New(os.Getenv, a.stderr).Show(o.to, b.Bytes()) {
		a.endsByInterrupt = true // it was meant for the pager
		return nil
	}
	_, err := a.stdout.Write(b.Bytes())
	return err
}

// completeParts completes the last name of --show a,b.
func completeParts(_ *cobra.Command, _ []string, typed string) (names []string, d cobra.ShellCompDirective) {
	for _, p := range report.Parts() {
		names = append(names, typed[:strings.LastIndexByte(typed, ',')+1]+p.Name+"\t"+p.About)
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// addParts completes --show of the verbs that have it, and refuses parts that do not exist.
func (a *app) addParts(root *cobra.Command) {
	for _, c := range root.Commands() {
		c.RegisterFlagCompletionFunc("show", completeParts) // fails without the flag
	}
	root.PersistentPreRunE = func(*cobra.Command, []string) error {
		return checkParts(a.view.parts)
	}
}

// checkParts refuses parts of a page that do not exist.
func checkParts(names []string) error {
	name, all := report.UnknownPart(names), report.PartNames()
	if name == "" {
		return nil
	}
	return usage("--show %s is no part of a page%s; the parts are %s", name, option.DidYouMean(name, all),
		strings.Join(all, ", "))
}
