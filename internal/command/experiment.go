// Package command compares commands: each run is a trial of the workload "command". [Experiment] describes a
// comparison, and [Runner] runs its trials, by the runner of package proc.
package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/proc"
	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// Workload is the name of the workload.
const Workload = "command"

// baseline is the design of the first command, with which all others are compared. The second command is the design a.
const baseline = "b"

// maxCommands is the largest number of commands: designs have names of one letter.
const maxCommands = 26

// Experiment describes a comparison of commands. It is stored in the header of the run's journal.
type Experiment struct {
	Commands []Command `json:"commands"` // the first is the one that the others are compared with
	// commands that run once before everything, and untimed before each trial; "" for none
	Setup   string `json:"setup,omitempty"`
	Prepare string `json:"prepare,omitempty"`
	Input   string `json:"input,omitempty"` // absolute path of the file that is each command's input; "" for none
	Dir     string `json:"dir"`             // working directory
	Warmups int    `json:"warmups"`         // untimed runs of each command before everything
	// the exit status of a command that runs to its end is no failure
	IgnoreFailure bool          `json:"ignore_failure,omitempty"`
	TimeLimit     time.Duration `json:"-"` // of each run of a command; 0 for none; stored in the settings of the run
}

// Command is one of the commands.
type Command struct {
	Design string   `json:"design"` // b is the first command, a the second, then c, d and so on
	Words  []string `json:"words"`
	SHA256 string   `json:"sha256,omitempty"` // of the executable file when the run began
}

// Line returns the command line, quoted for a shell.
func (c Command) Line() string {
	var words []string
	for _, w := range c.Words {
		if w == "" {
			w = "''"
		} else {
			w = quote.Shell(w)
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

// Complete adds the commands to the experiment and makes its paths absolute, from the current directory. Invalid
// options are a [*plan.Refusal]: fewer than two commands, more than 26 of them, and commands without a word.
func (x *Experiment) Complete(commands [][]string) (err error) {
	if x.Dir, err = os.Getwd(); err != nil {
		return err
	}
	if x.Input != "" && !filepath.IsAbs(x.Input) {
		x.Input = filepath.Join(x.Dir, x.Input)
	}
	if x.Commands, err = name(commands); err != nil {
		return err
	}
	return x.validate()
}

// name gives the commands the names of their designs.
func name(commands [][]string) ([]Command, error) {
	switch {
	case len(commands) < 2:
		return nil, plan.Refuse("", nil, "there is nothing to compare with: give two commands or more")
	case len(commands) > maxCommands:
		return nil, plan.Refuse("", nil, "%d commands are too many: give at most %d", len(commands), maxCommands)
	}
	var list []Command
	for i, words := range commands {
		if len(words) == 0 || words[0] == "" {
			return nil, plan.Refuse("", nil, "command %d of %d has no words", i+1, len(commands))
		}
		if slices.ContainsFunc(words, func(w string) bool { return strings.ContainsRune(w, 0) }) {
			return nil, plan.Refuse("", nil, "command %d of %d has a zero byte", i+1, len(commands))
		}
		design := string(rune('a' + i))
		if i < 2 { // the first command is b and the second a
			design = string(rune('b' - i))
		}
		list = append(list, Command{Design: design, Words: words})
	}
	return list, nil
}

// validate refuses invalid options.
func (x *Experiment) validate() error {
	for _, o := range [][2]string{{"setup", x.Setup}, {"prepare", x.Prepare}} {
		if o[1] == "" {
			continue
		}
		if _, err := proc.Words(o[1]); err != nil {
			return plan.Refuse(o[0], nil, "%w", err)
		}
	}
	switch {
	case x.Warmups < 0:
		return plan.Refuse("warmup-runs", x.Warmups, "is negative")
	case x.TimeLimit < 0:
		return plan.Refuse("time-limit", x.TimeLimit, "is negative")
	}
	if x.Input != "" {
		return checkInput(x.Input)
	}
	return nil
}

// Of reads the experiment in the header of the run in dir; nil if the run is no comparison of commands.
func Of(dir string, h *sweep.Header) (*Experiment, error) {
	if h.Commands == nil {
		return nil, nil
	}
	x := new(Experiment)
	err := json.Unmarshal(h.Commands, x)
	switch {
	case err != nil:
	case len(x.Commands) < 2:
		err = errors.New("there are fewer than two")
	case x.Commands[0].Design != baseline:
		err = fmt.Errorf("the first one is the design %q, not %q", x.Commands[0].Design, baseline)
	}
	for _, c := range x.Commands {
		if err == nil && (len(c.Words) == 0 || c.Design == "") {
			err = errors.New("a command has no words")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: the commands in its header cannot be read: %w", dir, err)
	}
	return x, nil
}

// Workload returns the commands as a workload of jobs, which only [Runner] can run.
func (x *Experiment) Workload() *workload.Workload {
	w := &workload.Workload{Name: Workload, Doc: "Commands."}
	for _, c := range x.Commands {
		w.Designs = append(w.Designs, workload.Design{Name: c.Design, Doc: "a command", Worlds: workload.LiveOnly,
			Job: func(env.Env, plan.Point) (workload.Job, error) {
				return workload.Job{}, errors.New("a command runs in a process of its own")
			}})
	}
	return w
}

// apart is the smallest number of blocks between two interim analyses.
const apart = 3

// Header completes the header of a run: its cases, which have no factors, and how they are compared. With a budget,
// h.Blocks limits the number of blocks if it is not 0, and the last interim analysis is there. A budget of 0 is none.
func (x *Experiment) Header(h sweep.Header, budget time.Duration) (sweep.Header, error) {
	h.Workload, h.Baseline, h.BaselineOnly = Workload, baseline, true
	h.Settings.TimeLimit = sweep.Duration(x.TimeLimit)
	for _, c := range x.Commands {
		h.Cases = append(h.Cases, plan.Case{Design: c.Design})
	}
	if budget > 0 {
		h.Rule = sweep.NewBudgetRule(budget, compare.DefaultCriteria(baseline, nil))
		if n := h.Blocks; n > 0 && n < h.Rule.MaxBlocks() {
			early := slices.DeleteFunc(h.Rule.InterimBlocks, func(b int) bool { return b > n-apart })
			h.Rule.InterimBlocks = append(early, n)
		}
		h.Blocks = h.Rule.MaxBlocks()
	}
	var err error
	h.Commands, err = json.Marshal(x)
	return h, err
}

// maxName is the longest name of a command in a sentence, in bytes.
const maxName = 40

// Names returns the names of the commands in tables and sentences, by design: the first words if they differ, else
// the command lines, alone or with the designs, else the designs.
func (x *Experiment) Names() map[string]string {
	for _, name := range []func(Command) string{
		func(c Command) string { return quote.Shell(c.Words[0]) }, Command.Line,
		func(c Command) string { return c.Line() + " (" + c.Design + ")" },
		func(c Command) string { return "command " + c.Design },
	} {
		names, seen := map[string]string{}, map[string]bool{}
		for _, c := range x.Commands {
			n := name(c)
			if seen[n] || len(n) > maxName {
				names = nil
				break
			}
			names[c.Design], seen[n] = n, true
		}
		if names != nil {
			return names
		}
	}
	return nil // not reached: designs differ and are short
}
