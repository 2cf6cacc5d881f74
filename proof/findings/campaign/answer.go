package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/brewput/brewput/explain"
	"github.com/brewput/brewput/proof/findings"
	"github.com/brewput/brewput/proof/findings/corpus"
	"github.com/brewput/brewput/proof/record"
)

// truth returns what is known about a case, or why it is not scored. A sick case counts only if its fix was measured to
// gain.
func truth(c corpus.Case, labels corpus.Labels) (v findings.Verdict, unscored string, err error) {
	l := c.Label()
	v = findings.Verdict{Case: c.Name(), Fold: corpus.Fold(c.Family.Name), Actual: l.Class, Also: l.Also}
	if c.Form != corpus.Sick {
		return v, "", nil
	}
	if _, v.Sites, err = c.Source(); err != nil {
		return v, "", err
	}
	if i, ok := labels.Find(c); ok {
		v.Gain = &i
	}
	switch {
	case c.Family.Diagnosis:
		return v, "", nil
	case v.Gain == nil:
		return v, "the gain of its fix was not measured", nil
	case !v.Gain.Positive():
		why := fmt.Sprintf("its fix gains %.0f%% [%.0f%%, %.0f%%]", 100*v.Gain.Gain, 100*v.Gain.Low, 100*v.Gain.High)
		return v, why, nil
	}
	return v, "", nil
}

// answers are the verdicts on one explainer.
type answers struct {
	Name     string             `json:"answers"`
	Verdicts []findings.Verdict `json:"verdicts"`
}

// judge lets explain and its rivals answer from the stored evidence. It lists the cases that it cannot score, and
// counts those without evidence or label.
func judge(dir string, cases []corpus.Case, labels corpus.Labels, out io.Writer) (all []answers, missing int,
	err error) {
	all = []answers{{Name: "level B"}, {Name: "level A"}}
	for _, r := range findings.Rivals() {
		all = append(all, answers{Name: r.Name})
	}
	for _, c := range cases {
		v, unscored, err := truth(c, labels)
		if err != nil {
			return nil, 0, err
		}
		if unscored != "" {
			fmt.Fprintf(out, "not scored: %s, %s\n", c.Name(), unscored)
			if v.Gain == nil {
				missing++
			}
			continue
		}
		e, err := load(dir, c)
		if err != nil {
			fmt.Fprintf(out, "not scored: %s, it has no evidence: %v\n", c.Name(), err)
			missing++
			continue
		}
		add := func(k int, findings []explain.Finding) {
			v.Findings = findings
			all[k].Verdicts = append(all[k].Verdicts, v)
		}
		add(0, explain.Explain(e).Findings)
		withoutTrace := *e
		withoutTrace.Trace = nil
		add(1, explain.Explain(&withoutTrace).Findings)
		for k, r := range findings.Rivals() {
			add(k+2, []explain.Finding{r.Answer(e)})
		}
	}
	return all, missing, nil
}

// table scores answers on all families, on those that rules were tuned on, and on those held out.
func table(all []answers) []findings.Row {
	var rows []findings.Row
	for n, a := range all {
		sets := []struct {
			name string
			in   func(fold int) bool
		}{
			{"all", func(int) bool { return true }},
			{"tuned on", func(f int) bool { return f != corpus.HeldOut }},
			{"held out", func(f int) bool { return f == corpus.HeldOut }},
		}
		if n >= 2 {
			sets = sets[:1]
		}
		for _, s := range sets {
			var in []findings.Verdict
			for _, v := range a.Verdicts {
				if s.in(v.Fold) {
					in = append(in, v)
				}
			}
			rows = append(rows, findings.Row{Answers: a.Name, Set: s.name, Score: findings.NewScore(in)})
		}
	}
	return rows
}

// conclude scores the answers, prints a table, and writes all results to the directory of the options. Single programs
// of families that are held out are shown only if these ask for them. It returns the exit code.
func conclude(o options, cases []corpus.Case, out io.Writer) (code int, err error) {
	labels, err := corpus.Measured()
	if err != nil {
		return 0, err
	}
	all, missing, err := judge(o.dir, cases, labels, out)
	if err != nil {
		return 0, err
	}
	rows := table(all)
	fmt.Fprintf(out, "\n%s\n%s\n%s", findings.Summary(rows), findings.ByClass(rows[0].Score),
		findings.RangesTable(all[0].Verdicts))
	for _, a := range all[:2] {
		var shown []findings.Verdict
		for _, v := range a.Verdicts {
			if o.heldOut || v.Fold != corpus.HeldOut {
				shown = append(shown, v)
			}
		}
		fmt.Fprintf(out, "\n%s\n%s", a.Name, findings.Misses(shown))
	}
	targets := append(findings.Targets(rows[0].Score, rows[3].Score),
		findings.RangeTargets(findings.Promises(all[0].Verdicts))...)
	code = decide(targets, missing, out)
	text, err := json.MarshalIndent(struct {
		Rows    []findings.Row `json:"rows"`
		Answers []answers      `json:"answers"`
	}{rows, all}, "", " ")
	if err != nil {
		return 0, err
	}
	files := map[string]string{"verdicts.json": string(text), "summary.txt": findings.Summary(rows) + "\n" +
		findings.ByClass(rows[0].Score)}
	for k, level := range []string{"B", "A"} {
		s := rows[3*k].Score
		files["balance-"+level+".svg"] = findings.Balance(s, "Class balance, level "+level)
		files["mistakes-"+level+".svg"] = findings.Mistakes(s, "Findings for the programs of each class, level "+level)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(o.dir, name), []byte(content), 0o644); err != nil {
			return 0, err
		}
	}
	if o.ranges == "" || missing > 0 {
		return code, nil
	}
	source, err := findings.CalibratedSource(findings.Promises(all[0].Verdicts))
	if err != nil {
		return 0, err
	}
	return code, os.WriteFile(o.ranges, source, 0o644)
}

// decide prints which targets are met, and returns the exit code. It decides nothing while programs lack evidence
// or a label.
func decide(targets []findings.Target, missing int, out io.Writer) (code int) {
	fmt.Fprintln(out)
	missed, unknown := false, false
	for _, t := range targets {
		word := "met"
		switch {
		case !t.Known:
			word, unknown = "undecided", true
		case !t.Met:
			word, missed = "missed", true
		}
		fmt.Fprintf(out, "%-9s  %s\n", word, t.What)
	}

	switch {
	case missing > 0:
		fmt.Fprintf(out, "\nUndecided, because programs have no evidence or label: %d\n", missing)
		return record.ExitUndecided
	case missed:
		return record.ExitBroken
	case unknown:
		return record.ExitUndecided
	}
	return 0
}

// some returns n cases drawn by the seed.
func some(cases []corpus.Case, n int, seed uint64) []corpus.Case {
	r := rand.New(rand.NewPCG(seed, 0))
	var drawn []corpus.Case
	for _, k := range r.Perm(len(cases))[:min(n, len(cases))] {
		drawn = append(drawn, cases[k])
	}
	return drawn
}
