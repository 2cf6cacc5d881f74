package explain

import "time"

// isBrief reports whether a run is so short that its start and chance are a considerable part of it.
func (a *analysis) isBrief() bool { return a.run != nil && a.run.Wall > 0 && a.run.Wall < minWall }

// startTime is the longest time that starting a process and its runtime takes. The wall time contains it, so that gains
// smaller than this fraction of a brief run would not be visible.
const startTime = 15 * time.Millisecond

// withoutGains returns the findings for a brief run. They predict no gain, except those that rest on counts and exceed
// the start time.
func (a *analysis) withoutGains(found []Finding) []Finding {
	var sure, rest []Finding
	for _, f := range found {
		if traits[f.Name].counted && f.Gain != nil &&
			f.Gain.Estimate > startTime.Seconds()/a.run.Wall.Seconds() {
			sure = append(sure, f)
			continue
		}
		f.Gain, f.Confidence = nil, Low
		rest = append(rest, f)
	}

	gains := "a gain"
	if len(sure) > 0 {
		gains = "other gains"
	}
	f := a.newFinding(TooFewSamples, "A run takes %s: too short to predict %s.", formatDuration(a.run.Wall), gains)
	f.Level = ProfileLevel
	f.Share = 1
	f.citef("starting a process takes up to %s; gains are predicted for runs of %s or more",
		formatDuration(startTime), formatDuration(minWall))
	if a.cpu != nil {
		f.citef("the CPU profile has %d samples, of several runs", a.cpu.samples)
	}

	f.Alternative = "It always runs this briefly: then only its start-up time matters."
	f.Fix = "Give it more work: more input, more repetitions, or a benchmark."
	if flags := a.moreWork(); flags != "" {
		f.Fix = "Give it more work: " + flags + "."
	}
	f.Experiment = "Run more work: these findings should return, with a gain."
	f.Confidence = High
	return append(append(sure, f), rest...)
}

// moreWork returns the flags that make a brief run long enough, or "" if they are not known.
func (a *analysis) moreWork() string {
	if a.e.Program.MoreWork == nil {
		return ""
	}
	times := 10
	for time.Duration(times)*a.run.Wall < 2*minWall {
		times *= 10
	}
	return a.e.Program.MoreWork(times)
}
