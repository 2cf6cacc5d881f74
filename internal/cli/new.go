package cli

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/brewput/brewput/internal/starter"
)

func (a *app) newCommand() *cobra.Command {
	var p starter.Program
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Create a program with a workload of your own, in the folder NAME",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("new takes one name, as in new mybench")
			}
			p.Name = args[0]
			next, err := p.Create()
			if err != nil {
				return withExitCode(err)
			}
			fmt.Fprintf(a.text, "wrote %s: a workload with two designs\n\n  cd %s\n%s  go test .\n  go run . run %s "+
				"--cpus 1..2\n", filepath.Join(p.Name, "main.go"), p.Name, next, p.Name)
			return nil
		},
	}
	cmd.Flags().StringVar(&p.Module, "module", "", "module `PATH` (default example.com/NAME)")
	cmd.Flags().StringVar(&p.Local, "local", "", "use the brewput checkout in `DIR` instead of the published module")
	return cmd
}
