package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/brewput/brewput/internal/plugin"
	"github.com/brewput/brewput/report"
	"github.com/brewput/brewput/workload"
)

func (a *app) listCommand() *cobra.Command {
	format := "table"
	cmd := &cobra.Command{
		Use:               "list [WORKLOAD]",
		Short:             "List the workloads, or the designs and factors of one",
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
			listing := plugin.List(chosen)
			if chosen = listing.Workloads; listing.Problem != nil {
				fmt.Fprintln(a.stderr, "warning:", listing.Problem)
			}
			switch {
			case format == "json":
				return errors.Join(report.WorkloadsJSON(a.stdout, chosen),
					report.MissingJSON(a.stdout, plugin.Name, plugin.Build, listing.Missing))
			case format != "table":
				return usage("--format %s is not possible here; use table or json", format)
			}
			return a.page(func(out io.Writer, st report.Style) error {
				if len(args) == 0 && !a.view.verbose {
					return errors.Join(report.Workloads(out, name(), chosen, st),
						report.Missing(out, plugin.Name, plugin.Build, listing.Missing, st))
				}
				for _, w := range chosen {
					if err := report.Workload(out, w, st); err != nil {
						return err
					}
				}
				return report.Missing(out, plugin.Name, plugin.Build, listing.Missing, st)
			})
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

func (a *app) sourceCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "source WORKLOAD/DESIGN",
		Short:             "Print the source of a design and count its lines",
		ValidArgsFunction: a.completeDesigns,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("source takes one design, as in source %s/%s", a.workloads[0].Name,
					a.workloads[0].Designs[0].Name)
			}
			return a.printSource(args[0])
		},
	}
}

func (a *app) printSource(design string) error {
	w, d, err := a.findDesign(design)
	if err != nil {
		return err
	}
	return a.page(func(out io.Writer, _ report.Style) error { return report.Source(out, w, d) })
}

func (a *app) completeDesigns(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, w := range a.workloads {
		for _, d := range w.AllDesigns() {
			names = append(names, w.Name+"/"+d.Name+"\t"+d.Doc)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func (a *app) workloadNames() []string {
	var names []string
	for _, w := range a.workloads {
		names = append(names, w.Name)
	}
	return names
}
