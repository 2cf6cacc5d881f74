package cli

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/brewput/brewput/report"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/workload"
	"github.com/brewput/brewput/workload/source"
)

func (a *app) listCommand() *cobra.Command {
	format := "table"
	cmd := &cobra.Command{
		Use:               "list [WORKLOAD]",
		Short:             "List the workloads, their designs and factors",
		ValidArgsFunction: a.completeWorkloads,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("list takes one workload at most, not %d", len(args))
			}
			chosen := a.workloads
			if len(args) == 1 {
				w, err := a.find(args[0])
				if err != nil {
					return err
				}
				chosen = []*workload.Workload{w}
			}
			switch format {
			case "json":
				return a.listJSON(chosen)
			case "table":
				return a.listText(chosen, len(args) == 1)
			}
			return usage("--format %s is not possible here; use table or json", format)
		},
	}
	cmd.Flags().StringVar(&format, "format", format, "table or json")
	return cmd
}

func (a *app) completeWorkloads(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, w := range a.workloads {
		names = append(names, w.Name+"\t"+w.Doc)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func (a *app) listText(workloads []*workload.Workload, factors bool) error {
	for i, w := range workloads {
		if i > 0 {
			fmt.Fprintln(a.text)
		}
		summary, _, _ := strings.Cut(w.Doc, "\n")
		fmt.Fprintf(a.text, "%s  %s\n", w.Name, summary)
		var table strings.Builder
		t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
		fmt.Fprintf(t, "  DESIGN\tWHAT\tWORLDS\tLINES\tABOUT\n")
		counted := source.Count(w)
		for _, d := range w.Designs {
			lines := "-"
			if n := counted[d.Name]; n != nil {
				lines = fmt.Sprint(*n)
			}
			fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\n", d.Name, designType(d), d.Worlds, lines, d.Doc)
		}

		if factors {
			fmt.Fprintf(t, "\t\t\t\t\n  FACTOR\tLEVELS\tDEFAULT\t\tABOUT\n")
			for _, f := range w.AllFactors() {
				fmt.Fprintf(t, "  --%s\t%s\t%s\t\t%s\n", f.Name, f.Kind, f.Default, f.Doc)
			}
		}
		t.Flush()
		for line := range strings.Lines(table.String()) {
			fmt.Fprintln(a.text, strings.TrimRight(line, " \n"))
		}
	}
	return nil
}

func (a *app) listJSON(workloads []*workload.Workload) error {
	for _, w := range workloads {
		counted := source.Count(w)
		for _, d := range w.Designs {
			if err := report.JSON(a.stdout, map[string]any{
				"kind": "design", "schema_version": result.SchemaVersion, "workload": w.Name, "design": d.Name,
				"doc": d.Doc, "type": d.Type(),
				"worlds": strings.Split(d.Worlds.String(), ", "), "factors": w.FactorsOf(d),
				"expect": d.Expect.String(), "peer": d.Reference, "formula": formulaText(d), "lines": counted[d.Name],
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *app) showCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "show WORKLOAD/DESIGN",
		Short:             "Show the source of a design and count its lines",
		ValidArgsFunction: a.completeDesigns,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("show takes one design, as in show %s/%s", a.workloads[0].Name,
					a.workloads[0].Designs[0].Name)
			}
			w, d, err := a.findDesign(args[0])
			if err != nil {
				return err
			}
			src, err := source.Read(w, d)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.text, "// %s/%s: %s.\n// %s; %d lines of code; factors: %s; worlds: %s.\n", w.Name, d.Name,
				d.Doc, designType(d), src.Lines, strings.Join(ownFactors(w, d), ", "), d.Worlds)
			if d.Formula != nil {
				fmt.Fprintf(a.text, "// Its wall time by formula: %s (%s).\n", d.Formula.Text, d.Formula.Source)
			}
			file := ""
			for _, part := range src.Parts {
				if part.File != file {
					file = part.File
					fmt.Fprintf(a.text, "\n// %s\n", file)
				}
				fmt.Fprintf(a.text, "\n%s\n", part.Text)
			}
			return nil
		},
	}
}

func (a *app) completeDesigns(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, w := range a.workloads {
		for _, d := range w.Designs {
			names = append(names, w.Name+"/"+d.Name+"\t"+d.Doc)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// designType is the type of a design, and whether it is a reference.
func designType(d workload.Design) string {
	if d.Reference {
		return d.Type() + ", reference"
	}
	return d.Type()
}

// formulaText is the formula of a design, or nil if it has none.
func formulaText(d workload.Design) *string {
	if d.Formula == nil {
		return nil
	}
	return &d.Formula.Text
}

// ownFactors returns the factors of a design without those of the open loop, which every stream has.
func ownFactors(w *workload.Workload, d workload.Design) []string {
	return slices.DeleteFunc(w.FactorsOf(d), workload.IsLoadFactor)
}
