// Package cli is the command line. It parses flags, calls the packages that do the work, and passes their results to
// package report. It holds no logic of its own.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/brewput/brewput/internal/cli/help"
	"github.com/brewput/brewput/internal/cli/option"
	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/internal/interrupt"
	"github.com/brewput/brewput/internal/plugin"
	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/workload"
)

// app is one invocation of the command.
//
// Text from outside is quoted before it reaches a stream: the writers quote all output to stderr and text, and
// package report quotes pages and data, which go to stdout. Nothing else writes to stdout.
type app struct {
	workloads       []*workload.Workload
	stdout, stderr  io.Writer
	text            io.Writer // writes plain text to stdout
	notes           io.Writer // writes remarks to stderr, unless the command is quiet
	view            view
	config          []string // settings of brewput.conf that apply
	measuring       bool     // trials may run; errors before are wrong use
	code            int      // exit code of a verb that returns no error
	interruptShown  bool     // the interrupt was reported to the user
	endsByInterrupt bool     // an interrupt is the normal end of the verb
	goesOn          bool     // the verb goes on after its page
}

// Interruptible returns a context that the first of [interrupt.Signals] cancels. A second signal ends the process at
// once, because the first one has restored the default handling, as release does. A signal that came before main
// began counts.
func Interruptible(parent context.Context) (ctx context.Context, release func()) {
	ctx, release = signal.NotifyContext(parent, interrupt.Signals()...)
	context.AfterFunc(ctx, release)
	if interrupt.Heard() {
		release()
	}
	return ctx, release
}

// Run executes the command and returns its exit code.
func Run(ctx context.Context, workloads []*workload.Workload, args []string, stdin io.Reader, stdout,
	stderr io.Writer) int {
	data := &dataWriter{to: stdout}
	text, complaints := quote.NewWriter(data), quote.NewWriter(stderr)
	defer text.Flush()
	defer complaints.Flush()
	for _, w := range workloads {
		if err := w.Validate(); err != nil {
			fmt.Fprintln(complaints, "brewput:", err)
			return exitUsage
		}
	}
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) &&
		slices.ContainsFunc(args, unprintable) {
		// No name has such characters, and cobra would write the flag unquoted to the process's stderr.
		fmt.Fprintf(text, ":%d\n", cobra.ShellCompDirectiveNoFileComp)
		return exitOK
	}

	ctx, release := Interruptible(ctx)
	defer release()

	a := &app{workloads: workloads, stdout: data, stderr: complaints, text: text}
	a.notes = notes{complaints, &a.view.quiet}
	root := a.root()
	help.OfferAliases(root, args)
	root.SetArgs(option.GoTest(root, args))
	root.SetIn(stdin)
	root.SetOut(text)
	root.SetErr(complaints)
	err := ctx.Err() // not nil after an early interrupt
	if err == nil {
		err = root.ExecuteContext(ctx)
	}

	text.Flush()
	err = data.lost(err)
	if err == nil && !a.endsByInterrupt && a.code != exitInterrupted {
		err = ctx.Err()
	}
	if errors.Is(err, context.Canceled) && !a.interruptShown && a.code != exitInterrupted {
		a.interrupted("")
	}
	return a.exit(err)
}

// interrupted reports the interrupt, and what is left of the work.
func (a *app) interrupted(format string, args ...any) {
	a.interruptShown = true
	fmt.Fprintf(a.stderr, "brewput: interrupted"+format+"\n", args...)
}

// unprintable reports whether a terminal would not show a text as it is.
func unprintable(s string) bool { return quote.Line(s) != s }

// arguments returns the arguments of this process as a journal keeps them.
func arguments() []string {
	args := slices.Clone(os.Args[1:])
	for i := range args {
		args[i] = input.Redact(args[i])
	}
	return args
}

// name is the name of this program. A user's own program has another name than brewput.
func name() string {
	n := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	if n == "" || strings.HasSuffix(n, ".test") {
		return "brewput"
	}
	return n
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           name(),
		Short:         "A performance laboratory for concurrent Go",
		Version:       plugin.VersionText(a.workloads),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          func(cmd *cobra.Command, args []string) error { return a.unknownVerb(cmd, args) },
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return asUsage(option.FlagError(c, err)) })
	root.SetVersionTemplate("{{.Version}}\n")
	root.AddCommand(a.runCommand(), a.simCommand(), a.benchCommand(), a.gateCommand(), a.compareCommand(),
		a.explainCommand(), a.listCommand(), a.showCommand(), a.sourceCommand(), a.newCommand(), a.doctorCommand(),
		a.calibrateCommand(), a.schemaCommand(), a.versionCommand())

	root.PersistentFlags().BoolVarP(&a.view.quiet, "quiet", "q", false, "print errors and the page only")
	root.PersistentFlags().BoolVarP(&a.view.verbose, "verbose", "v", false, "print all details")
	a.addParts(root)
	root.SetHelpCommand(helpCommand(root))
	root.InitDefaultCompletionCmd()
	width, _ := terminal(a.stdout)
	help.Install(root, func(name string) bool { return slices.Contains(a.workloadNames(), name) },
		help.Width(os.Getenv("COLUMNS"), width))
	return root
}

// helpCommand is cobra's help, except that an unknown verb is a usage error.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [VERB]",
		Short: "Help about any verb",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return usage("there is no help on %q; see %s help", strings.Join(args, " "), name())
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
}

func (a *app) unknownVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var verbs []string
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			verbs = append(verbs, c.Name())
		}
	}
	return usage("there is no verb %q%s; the verbs are %s", args[0], option.DidYouMean(args[0], verbs),
		strings.Join(verbs, ", "))
}

// find returns the workload with a name.
func (a *app) find(name string) (*workload.Workload, error) {
	w, err := workload.Find(a.workloads, name)
	if err != nil {
		return nil, asUsage(err)
	}
	return w, nil
}

// findDesign returns the design named WORKLOAD/DESIGN.
func (a *app) findDesign(target string) (*workload.Workload, workload.Design, error) {
	wname, dname, ok := strings.Cut(target, "/")
	if !ok {
		return nil, workload.Design{}, usage("%q is not a design: write WORKLOAD/DESIGN, as in %s/%s", target,
			a.workloads[0].Name, a.workloads[0].Designs[0].Name)
	}
	w, err := a.find(wname)
	if err != nil {
		return nil, workload.Design{}, err
	}
	if _, err := w.Select([]string{dname}); err != nil {
		return nil, workload.Design{}, asUsage(err)
	}
	d, _ := w.Find(dname)
	return w, d, nil
}
