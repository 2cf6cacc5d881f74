// Package cli is the command line. It reads flags, asks the packages that do the work, and hands what
// they return to report; it holds no logic of its own.
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
	"github.com/spf13/pflag"

	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/internal/interrupt"
	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Exit codes of the command. If several apply: 130, 4, 1, 3.
const (
	exitOK          = 0
	exitWrong       = 1 // an undeclared wrong answer or violation
	exitUsage       = 2
	exitUndecided   = 3 // where a decision was asked for
	exitFailed      = 4 // a trial failed, or its result could not be kept
	exitInterrupted = 130
)

// app is one invocation of the command. Text from outside is quoted before it reaches either stream: all that goes to
// stderr or text by these writers, and pages and data, which go to stdout, by package report. Nothing else writes to
// stdout.
type app struct {
	workloads      []*workload.Workload
	stdout, stderr io.Writer
	text           io.Writer // stdout, for plain text
	measuring      bool      // trials may run: errors before are wrong use
	code           int       // set by a verb that ended without an error
	told           bool      // the user was told of the interrupt
	awaiting       bool      // an interrupt is how the verb ends
}

// Interruptible is a context that the first of [interrupt.Signals] cancels. A second one ends the process at once: the
// first has given the signals back by then, as release does. A signal that came before main began counts.
func Interruptible(parent context.Context) (ctx context.Context, release func()) {
	ctx, release = signal.NotifyContext(parent, interrupt.Signals()...)
	context.AfterFunc(ctx, release)
	if interrupt.Heard() {
		release()
	}
	return ctx, release
}

// Run is the command: it returns its exit code.
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
		// No name looks so; and what cobra says of such a flag goes to the process's own stderr, as it is.
		fmt.Fprintf(text, ":%d\n", cobra.ShellCompDirectiveNoFileComp)
		return exitOK
	}
	ctx, release := Interruptible(ctx)
	defer release()

	a := &app{workloads: workloads, stdout: data, stderr: complaints, text: text}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(text)
	root.SetErr(complaints)
	err := ctx.Err() // an interrupt that came first
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	text.Flush()
	err = data.lost(err)
	if err == nil && !a.awaiting && a.code != exitInterrupted {
		err = ctx.Err()
	}
	if errors.Is(err, context.Canceled) && !a.told && a.code != exitInterrupted {
		a.interrupted("")
	}
	return a.exit(err)
}

// interrupted tells the user of the interrupt, and what is left of what was done.
func (a *app) interrupted(format string, args ...any) {
	a.told = true
	fmt.Fprintf(a.stderr, "brewput: interrupted"+format+"\n", args...)
}

// unprintable reports whether a terminal would not show a text as it is.
func unprintable(s string) bool { return quote.Line(s) != s }

// exit says what went wrong and returns the code for it. An interrupt outweighs what else did.
func (a *app) exit(err error) int {
	if err == nil {
		return a.code
	}
	code := exitFailed
	var said exitError
	switch {
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &said):
		code = said.code
	case !a.measuring:
		code = exitUsage
	}
	fmt.Fprintln(a.stderr, "brewput:", input.Redact(err.Error()))
	if a.code == exitInterrupted {
		return exitInterrupted
	}
	return code
}

// exitError is an error that says by which code the command exits.
type exitError struct {
	error
	code int
}

func (e exitError) Unwrap() error { return e.error }

// usage is a wrong use of the command.
func usage(format string, args ...any) error { return asUsage(fmt.Errorf(format, args...)) }

// asUsage is a wrong use; refusals of package lab name their options as flags.
func asUsage(err error) error {
	if r, ok := err.(*lab.Refusal); ok {
		err = errors.New(r.Text(asFlag))
	}
	return exitError{err, exitUsage}
}

// asFlag is an option of package lab as users type it.
func asFlag(field string) string { return "--" + field }

// fromLab gives an error of package lab its exit code.
func fromLab(err error) error {
	var r *lab.Refusal
	var broken *lab.BrokenError
	var known exitError
	switch {
	case err == nil || errors.Is(err, context.Canceled) || errors.As(err, &known):
		return err
	case errors.As(err, &r):
		return asUsage(r)
	case errors.As(err, &broken):
		err = errors.New(broken.Text(asFlag))
	}
	return exitError{err, exitFailed}
}

// arguments are those of this process, as a journal keeps them.
func arguments() []string {
	args := slices.Clone(os.Args[1:])
	for i := range args {
		args[i] = input.Redact(args[i])
	}
	return args
}

// name is what the user typed to get here: a program of the user's own has another name.
func name() string {
	n := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	if n == "" || strings.HasSuffix(n, ".test") {
		return "brewput"
	}
	return n
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   name(),
		Short: "A performance laboratory for concurrent Go",
		Long: `Brewput is a performance laboratory for concurrent Go: which design is best for
a job, how many goroutines it should have, which channel size, and whether more
CPUs help. It answers by measuring every design in fresh processes, in random
order, often enough to say how sure it is.`,
		Example:       indent(examples),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          func(cmd *cobra.Command, args []string) error { return a.unknownVerb(cmd, args) },
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	root.SetFlagErrorFunc(flagError)
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", ".FlagUsagesWrapped 80"))
	root.AddCommand(a.runCommand(), a.simCommand(), a.benchCommand(), a.gateCommand(), a.compareCommand(),
		a.explainCommand(), a.listCommand(), a.showCommand(), a.newCommand(), a.doctorCommand(), a.calibrateCommand(),
		a.versionCommand())
	root.SetHelpCommand(helpCommand(root))
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args = func(cmd *cobra.Command, args []string) error { return a.unknownVerb(cmd, args) }
			c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
	return root
}

// helpCommand is cobra's help, but for an unknown verb it is a usage error.
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

const examples = `NAME list
NAME run coffee --designs locking,finelocking --cpus 1..2
NAME run coffee --designs linearpipe --buffer 0,1,10 --jitter 2ms --workers 6
NAME compare brewput-runs/old brewput-runs/new
NAME show coffee/finelocking`

// indent fills the program's name into examples and indents them as help texts are.
func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.ReplaceAll(text, "NAME", name()), "\n", "\n  ")
}

func (a *app) unknownVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var verbs []string
	for _, c := range cmd.Commands() {
		verbs = append(verbs, c.Name())
	}
	return usage("there is no verb %q%s; the verbs are %s", args[0], didYouMean(args[0], verbs),
		strings.Join(verbs, ", "))
}

func didYouMean(word string, known []string) string {
	if s := plan.Suggest(word, known); s != "" {
		return fmt.Sprintf(", did you mean %q?", s)
	}
	return ""
}

// goFlags are ours of the flags of go test.
var goFlags = map[string]string{"cpu": "cpus", "benchtime": "duration", "run": "bench"}

// flagError turns a flag that could not be parsed into a usage error that says what to type.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		typed, as := "-"+unknown.GetSpecifiedName(), "--count 5"
		if _, word, ok := strings.Cut(err.Error(), " in -"); ok && len(word) > 1 {
			typed = "-" + word
			word, _, _ = strings.Cut(word, "=")
			if ours, ok := goFlags[word]; ok {
				word = ours
			}
			if cmd.Flags().Lookup(word) != nil {
				as = "--" + word
			}
		}
		return usage("%s has no flag %s; flags of several letters take two dashes, as in %s; see %s --help",
			cmd.CommandPath(), typed, as, cmd.CommandPath())
	case errors.As(err, &unknown):
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		return usage("%s has no flag --%s%s; see %s --help", cmd.CommandPath(),
			unknown.GetSpecifiedName(), didYouMeanFlag(unknown.GetSpecifiedName(), known), cmd.CommandPath())
	case errors.As(err, &invalid):
		return invalidValue(invalid.GetFlag(), invalid.GetValue())
	}
	return usage("%w; see %s --help", err, cmd.CommandPath())
}

// decimalDigits is how flags that count are written.
const decimalDigits = "a whole number in decimal digits, without leading zeros, as in 10"

// invalidValue says what a flag takes.
func invalidValue(f *pflag.Flag, value string) error {
	takes := map[string]string{
		"int": decimalDigits, "int64": decimalDigits, "uint64": decimalDigits + ", 0 or more",
		"duration": "a time such as 500ms or 2s", "bool": "true or false",
	}[f.Value.Type()]
	if takes == "" {
		takes = "something else"
	}
	return usage("--%s %q is not possible: it takes %s", f.Name, value, takes)
}

func didYouMeanFlag(word string, known []string) string {
	if s := plan.Suggest(word, known); s != "" {
		return fmt.Sprintf(", did you mean --%s?", s)
	}
	return ""
}

// find returns the workload of that name.
func (a *app) find(name string) (*workload.Workload, error) {
	w, err := workload.Find(a.workloads, name)
	if err != nil {
		return nil, asUsage(err)
	}
	return w, nil
}

// findDesign returns the design called WORKLOAD/DESIGN.
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

func designNames(w *workload.Workload) []string {
	var names []string
	for _, d := range w.Designs {
		names = append(names, d.Name)
	}
	return names
}
