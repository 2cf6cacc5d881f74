package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/brewput/brewput/internal/buildinfo"
	"github.com/brewput/brewput/internal/plugin"
	"github.com/brewput/brewput/report"
)

func (a *app) versionCommand() *cobra.Command {
	format := "table"
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			switch format {
			case "json":
				return report.JSON(a.stdout, buildinfo.Here())
			case "table":
				fmt.Fprintln(a.text, plugin.VersionText(a.workloads))
				return nil
			}
			return usage("--format %s is not possible here; use table or json", format)
		},
	}
	cmd.Flags().StringVar(&format, "format", format, "table or json")
	return cmd
}

// modulePath is the module of brewput, on which a user's own program depends.
const modulePath = buildinfo.Module

// version is the version of that module.
func version() string { return buildinfo.Here().Version }
