package compare

import (
	"math"
	"strings"
	"testing"

	"github.com/brewput/brewput/result"
)

// ratedRow is a measured row with the given throughput and a wide interval.
func ratedRow(workload, design string, x float64) Row {
	return Row{Workload: workload, Design: design, World: result.Live, N: 20, Point: onCPUs(1),
		Metrics: map[string]result.Summary{result.Throughput: {Metric: result.Throughput, Median: result.Value(x),
			Low: result.Value(x * 0.9), High: result.Value(x * 1.1)}}}
}

// TestAnswerOfChains checks what follows for designs without a verdict on the pair from those on other pairs.
func TestAnswerOfChains(t *testing.T) {
	rows := []Row{ratedRow("w", "a", 102), ratedRow("w", "b", 101), ratedRow("w", "c", 100)}
	v := func(a, b, verdict string, low, high float64) Verdict {
		return Verdict{Workload: "w", World: result.Live, Metric: result.Throughput, A: a, B: b, Point: onCPUs(1),
			Ratio: result.Value(math.Sqrt(low * high)), Low: result.Value(low), High: result.Value(high), N: 20,
			Verdict: verdict}
	}
	more := 7
	known, unknown := v("a", "b", Undecided, 0.9, 1.1), v("c", "a", Undecided, 0.9, 1.1)
	known.MoreBlocks, known.Paired, unknown.Paired = &more, true, true
	beyond, lost := unknown, unknown
	beyond.MostBlocks, beyond.EnoughBlocks, lost.Ended = 40, 120, true
	for _, c := range []struct {
		verdicts []Verdict
		want     string
	}{
		// a may be slower than b by more than b is faster than c.
		{[]Verdict{v("a", "b", Equivalent, 0.985, 1.015), v("b", "c", Faster, 1.004, 1.012)},
			"The order of a, b and c is undecided."},
		{[]Verdict{v("b", "a", Equivalent, 0.999, 1.003), v("c", "b", Slower, 0.988, 0.996)},
			"a and b are fastest, and equally fast: 1.020x the throughput of c (+2.00%)."},
		{[]Verdict{v("a", "b", Equivalent, 0.985, 1.015), v("b", "c", Equivalent, 0.985, 1.015)},
			"a, b and c are equally fast."},
		{[]Verdict{v("a", "b", Faster, 1.001, 1.02), v("b", "c", Faster, 1.001, 1.02)},
			"a is fastest: 1.010x the throughput of b (+1.05%)."},
		// The blocks that would decide one pair do not decide the other.
		{[]Verdict{known, unknown}, "The order of a, b and c is undecided."},
		{[]Verdict{known, lost}, "The order of a, b and c is undecided."},
		{[]Verdict{known, beyond},
			"The order of a, b and c is undecided (a count of about 120 without a budget would decide)."},
		{[]Verdict{known, v("c", "a", Slower, 0.9, 0.95), v("c", "b", Slower, 0.9, 0.95)}, "The fastest is one of a " +
			"and b, undecided (about 7 more blocks would decide): 1.081x the throughput of c (+8.15%)."},
		// a has the best median, c is proven faster than a, and b than c.
		{[]Verdict{v("c", "a", Faster, 1.001, 1.1), v("b", "c", Faster, 1.001, 1.1),
			v("b", "a", Equivalent, 0.99, 1.01)},
			"The fastest is one of c and b, undecided: 1.049x the throughput of a (+4.93%)."},
	} {
		if got := strings.Join(NewAnswer(rows, c.verdicts, AnswerOptions{}).Text, " "); got != c.want {
			t.Errorf("got %s\nwant %s", got, c.want)
		}
	}
}

// TestAnswerOfIntervals checks what follows for designs without verdicts from their intervals.
func TestAnswerOfIntervals(t *testing.T) {
	row := func(design string, low, median, high float64, metric string) Row {
		r := ratedRow("w", design, median)
		r.Job = metric == result.WallSeconds
		r.Metrics = map[string]result.Summary{metric: {Metric: metric, Median: result.Value(median),
			Low: result.Value(low), High: result.Value(high)}}
		return r
	}
	// b is proven faster than a, which has the best median. c seems faster than b, or slower.
	for _, c := range []struct {
		metric    string
		a, b      float64
		low, high float64 // of c
		want      string
	}{
		{result.Throughput, 103, 100, 101.5, 102.5, "The fastest is one of b and c, undecided: 1.010x the throughput " +
			"of a (+1.00%)."},
		{result.Throughput, 103, 100, 97, 98, "b is fastest: 1.010x the throughput of a (+1.00%)."},
		{result.WallSeconds, 97, 100, 97.5, 98.5, "The fastest is one of b and c, undecided: 1.010x as fast as a " +
			"(+1.00%)."},
		{result.WallSeconds, 97, 100, 102, 103, "b is fastest: 1.010x as fast as a (+1.00%)."},
	} {
		rows := []Row{row("a", 90, c.a, 110, c.metric), row("b", c.b-0.5, c.b, c.b+0.5, c.metric),
			row("c", c.low, (c.low+c.high)/2, c.high, c.metric)}
		v := Verdict{Workload: "w", World: result.Live, Metric: c.metric, A: "b", B: "a", Point: onCPUs(1), Ratio: 1.01,
			Low: 1.001, High: 1.02, N: 20, Verdict: Faster}
		if c.metric == result.WallSeconds {
			v.Ratio, v.Low, v.High = 1/v.Ratio, 1/v.High, 1/v.Low
		}
		if got := strings.Join(NewAnswer(rows, []Verdict{v}, AnswerOptions{}).Text, " "); got != c.want {
			t.Errorf("got %s\nwant %s", got, c.want)
		}
	}
}

// TestProblemsOfWorlds checks that problems say of which workload they are, and whether they are only predicted.
func TestProblemsOfWorlds(t *testing.T) {
	failed, predicted, other := ratedRow("w", "a", 1), ratedRow("w", "b", 1), ratedRow("x", "a", 1)
	failed.Statuses, other.Statuses = map[result.Status]int{result.Failed: 1}, map[result.Status]int{result.Wrong: 1}
	predicted.Statuses, predicted.World = failed.Statuses, result.Virtual
	got := strings.Join(NewAnswer([]Row{failed, predicted}, nil, AnswerOptions{}).Text, " ")
	if !strings.HasPrefix(got, "a failed in 1 of 1 trial. Predicted: b failed in 1 of 1 trial. ") {
		t.Error(got)
	}
	got = strings.Join(NewAnswer([]Row{failed, other}, nil, AnswerOptions{}).Text, " ")
	if !strings.HasPrefix(got, "w: a failed in 1 of 1 trial. x: a gave wrong answers in 1 of 1 trial. w: a reaches ") {
		t.Error(got)
	}
}
