package cli

import (
	"github.com/spf13/cobra"

	"github.com/brewput/brewput/internal/cli/option"
	"github.com/brewput/brewput/internal/schema"
)

func (a *app) schemaCommand() *cobra.Command {
	format := "table"
	cmd := &cobra.Command{
		Use:               "schema [KIND]",
		Short:             "Print the JSON Schema of the records of --format json",
		ValidArgsFunction: cobra.FixedCompletions(schema.Names(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(_ *cobra.Command, args []string) error {
			text, known := schema.Table(), true
			switch {
			case len(args) > 1:
				return usage("schema takes one kind at most, not %d", len(args))
			case format != "table" && format != "json":
				return usage("--format %s is not possible here; use table or json", format)
			case len(args) == 1:
				text, known = schema.Of(args[0])
			case format == "json":
				text = schema.All()
			}
			if !known {
				return usage("there is no kind %q%s; %s schema lists them", args[0],
					option.DidYouMean(args[0], schema.Names()), name())
			}
			_, err := a.text.Write(text)
			return err
		},
	}
	cmd.Flags().StringVar(&format, "format", format, "without KIND: table, or json for one schema of all kinds")
	return cmd
}
