package compare

import (
	"math"
	"slices"
	"testing"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// TestGuarantees checks that only designs with the same guarantee compete: in the answer, in the map of winners, and as
// neighbours in verdicts. A bound of any guarantee applies to all.
func TestGuarantees(t *testing.T) {
	two := math.Log(2)
	declare := func(t *result.Trial) {
		t.Guarantee = map[string]string{"sync": "survives power loss", "group": "survives power loss",
			"file": "survives kill", "mapped": "survives kill"}[t.Design]
		if t.Design == "ideal" {
			t.Bound, t.Status = true, result.StatusBound
		}
	}
	callers := func(n int) plan.Setting { return plan.Setting{Factor: "callers", Level: plan.IntLevel(n)} }
	at := func(n, cpus int) []answerCase {
		p := onCPUs(cpus, callers(n))
		return []answerCase{{"file", p, 2 * two, 0.01}, {"sync", p, 0, 0.01}, {"mapped", p, 4 * two, 0.01},
			{"group", p, two, 0.01}}
	}
	o := AnswerOptions{Inputs: []string{"callers"}}
	for _, c := range []struct {
		name   string
		blocks int
		o      AnswerOptions
		cases  []answerCase
		want   string
	}{
		{"two guarantees", 10, o, at(1, 1), "Survives kill: mapped is fastest: 4.00x as fast as file. " +
			"Survives power loss: group is fastest: 2.00x as fast as sync."},
		{"a baseline of one guarantee", 10, AnswerOptions{Baseline: "sync"}, at(1, 1),
			"Survives kill: mapped is fastest: 4.00x as fast as file. " +
				"Survives power loss: group is fastest: 2.00x as fast as sync."},
		{"few blocks", 2, o, at(1, 1), "Survives kill: mapped about 4.0x as fast as file (rough: 2 blocks). " +
			"Survives power loss: group about 2.0x as fast as sync (rough: 2 blocks)."},
		{"one guarantee", 10, o, []answerCase{at(1, 1)[1], at(1, 1)[3]},
			"group is fastest: 2.00x as fast as sync."},
		{"one design of each, none declared by one", 10, o, []answerCase{at(1, 1)[1],
			{"slice", onCPUs(1, callers(1)), 0, 0.01},
			{"ideal", onCPUs(1, callers(1)), two, 0.01}}, "Survives power loss: sync takes 10.0ms; the " +
			"bound ideal is 2.00x as fast. " +
			"No guarantee declared: slice takes 10.0ms; the bound ideal is 2.00x as fast."},
	} {
		if got := answered(c.blocks, c.o, result.Job, declare, c.cases...); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}

	winners := map[string][]string{}
	cases := slices.Concat(at(1, 1), at(2, 1), at(1, 2), at(2, 2))
	for _, w := range answerTo(10, o, result.Job, declare, cases...).Winners {
		winners[w.Guarantee] = append(winners[w.Guarantee], w.Leaders...)
	}
	if kill, power := winners["survives kill"], winners["survives power loss"]; len(winners) != 2 ||
		!slices.Equal(kill, []string{"mapped", "mapped", "mapped", "mapped"}) ||
		!slices.Equal(power, []string{"group", "group", "group", "group"}) {
		t.Errorf("the winners are %v", winners)
	}
}

// TestGuaranteedNeighbours checks which pairs are judged if designs declare different guarantees.
func TestGuaranteedNeighbours(t *testing.T) {
	rows := []Row{ratedRow("w", "file", 4), ratedRow("w", "sync", 1),
		ratedRow("w", "mapped", 8), ratedRow("w", "group", 2)}
	for i := range rows {
		rows[i].Guarantee = []string{"survives kill", "survives power loss"}[i%2]
	}
	for _, c := range []struct {
		criteria Criteria
		want     []string
	}{
		{Criteria{}, []string{"mapped file", "group sync"}},
		{Criteria{Baseline: "sync"}, []string{"file sync", "mapped file", "mapped sync", "group sync"}},
		{Criteria{All: true}, []string{"sync file", "mapped file", "mapped sync", "group file", "group sync",
			"group mapped"}},
	} {
		var got []string
		for _, p := range c.criteria.pairs(rows, (*Row).excluded) {
			got = append(got, p[0].Design+" "+p[1].Design)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.criteria, got, c.want)
		}
	}
}
