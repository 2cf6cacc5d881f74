package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brewput/brewput/report"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/timeline"
)

// mostTimelines is how many cases one file may hold: more are no picture.
const mostTimelines = 12

// defaultTimeline is how much of a trial is recorded: with stages of 1 ms, their bars have room for a number.
const defaultTimeline = 50 * time.Millisecond

// timelineFlags are those of sim alone.
func (o *runOptions) timelineFlags(f *pflag.FlagSet) {
	f.StringVar(&o.timeline, "timeline", "", "write who ran, waited and queued in the first replication to `FILE`: a "+
		"picture (.svg), or a trace for ui.perfetto.dev (.json)")
	f.DurationVar(&o.timelineSpan, "timeline-span", defaultTimeline, "how much virtual `TIME` of it, from the "+
		"end of the warm-up on")
}

// askedTimeline are the flags that ask for this timeline again.
func (o *runOptions) askedTimeline() string {
	asked := "--timeline " + quoted(o.timeline)
	if o.timelineSpan != defaultTimeline {
		asked += " --timeline-span " + o.timelineSpan.String()
	}
	return asked
}

// spanOfTimeline refuses a span of no timeline.
func spanOfTimeline(cmd *cobra.Command) error {
	if cmd.Flags().Changed("timeline-span") && !cmd.Flags().Changed("timeline") {
		return usage("--timeline-span changes nothing without --timeline FILE")
	}
	return nil
}

// timelineFormats are the formats by the end of the file's name.
var timelineFormats = map[string]func(io.Writer, []*timeline.Timeline) error{".svg": report.TimelineSVG,
	".json": report.TimelineJSON}

// checkTimeline refuses a timeline that could not be written, before anything is calculated for it.
func (o *runOptions) checkTimeline(cases int) error {
	if o.timeline == "" {
		return nil
	}
	switch {
	case timelineFormats[filepath.Ext(o.timeline)] == nil:
		return usage("--timeline %s: the name must end in .svg, for a picture, or .json, for ui.perfetto.dev",
			o.timeline)
	case o.timelineSpan <= 0:
		return usage("--timeline-span %v is not a positive time", o.timelineSpan)
	case cases > mostTimelines:
		return usage("--timeline would hold %d cases, and at most %d are possible: choose with --designs, or give "+
			"factors fewer levels", cases, mostTimelines)
	}
	return writable("--timeline", o.timeline)
}

// writeTimelines writes the file of the first replication of every case. That is calculated once more for it, as far as
// the timeline goes: the seed makes it the same.
func (a *app) writeTimelines(ctx context.Context, s *sweep.Sweep, o runOptions) error {
	if o.timeline == "" {
		return nil
	}
	specs := s.First()
	for i := range specs {
		specs[i].Timeline = o.timelineSpan
		if specs[i].Operations == 0 {
			specs[i].Duration = min(specs[i].Duration, o.timelineSpan)
		}
	}
	again, err := sweep.New(s.Workload, s.Header)
	if err != nil {
		return err
	}
	again.Ahead(specs)
	byCase := map[string]*timeline.Timeline{}
	for _, spec := range specs {
		outcome, err := again.Run(ctx, spec)
		if err != nil {
			return err
		}
		byCase[spec.Design+" "+spec.Point.String()] = outcome.Timeline
	}
	var all []*timeline.Timeline
	spans, short := 0, ""
	for _, c := range s.Plan.Cases {
		title := c.Design + " " + c.Point.String()
		tl := byCase[title]
		if tl == nil {
			fmt.Fprintf(a.stderr, "brewput: no timeline of %s: its measured time did not begin, or its design hangs\n",
				title)
			continue
		}
		tl.Title = title
		all = append(all, tl)
		spans += len(tl.Spans)
		if got := time.Duration(tl.To - tl.From); got < o.timelineSpan && short == "" {
			short = fmt.Sprintf("; %s ended after %v", title, got)
		}
	}
	if all == nil {
		return nil
	}
	err = replaceFile(o.timeline, func(w io.Writer) error { return timelineFormats[filepath.Ext(o.timeline)](w, all) })
	if err != nil {
		return fmt.Errorf("the timeline could not be written: %w", err)
	}
	fmt.Fprintf(a.stderr, "timeline in %s: %s, %s in %v each%s\n", o.timeline, result.Count(len(all), "case"),
		result.Count(spans, "span"), o.timelineSpan, short)
	return nil
}
