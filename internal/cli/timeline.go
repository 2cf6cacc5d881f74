package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/report"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/timeline"
	"github.com/brewput/brewput/workload"
)

// maxTimelines is the largest number of cases in one file. More would be unreadable.
const maxTimelines = 12

// defaultTimeline is the recorded part of a trial. With stages of 1 ms, a bar then has room for a number.
const defaultTimeline = 50 * time.Millisecond

// timelineFlags adds the timeline flags, which only sim has.
func (o *runOptions) timelineFlags(f *pflag.FlagSet) {
	f.StringVar(&o.timeline, "timeline", "", "write the timeline of goroutines in the first replication to `FILE`: a "+
		"picture (.svg), or a trace for ui.perfetto.dev (.json)")
	f.DurationVar(&o.timelineSpan, "timeline-span", defaultTimeline, "virtual `TIME` to draw, from the end of "+
		"the warm-up on")
}

// timelineArgs are the flags that ask for this timeline again.
func (o *runOptions) timelineArgs() string {
	asked := "--timeline " + quote.Shell(o.timeline)
	if o.timelineSpan != defaultTimeline {
		asked += " --timeline-span " + o.timelineSpan.String()
	}
	return asked
}

// checkTimelineSpan refuses a span without a timeline.
func checkTimelineSpan(cmd *cobra.Command) error {
	if cmd.Flags().Changed("timeline-span") && !cmd.Flags().Changed("timeline") {
		return usage("--timeline-span changes nothing without --timeline FILE")
	}
	return nil
}

// timelineFormats are the formats by file extension.
var timelineFormats = map[string]func(io.Writer, []*timeline.Timeline) error{".svg": report.TimelineSVG,
	".json": report.TimelineJSON}

// checkTimeline refuses a timeline that cannot be written, before anything is calculated for it.
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
	case cases > maxTimelines:
		return usage("--timeline would hold %d cases, and at most %d are possible: choose with --designs, or give "+
			"factors fewer levels", cases, maxTimelines)
	}
	return writable("--timeline", o.timeline)
}

// writeTimelines writes the timelines of the first replication of every case. These are calculated again up to the
// end of the timeline, with the same seed and so the same result.
func (a *app) writeTimelines(ctx context.Context, r *lab.Run, o runOptions) error {
	if o.timeline == "" {
		return nil
	}
	list, err := r.Timelines(ctx, o.timelineSpan)
	if err != nil {
		return err
	}
	var all []*timeline.Timeline
	spans, short := 0, ""
	for i, tl := range list {
		if tl == nil {
			c := r.Header.Cases[i]
			fmt.Fprintf(a.stderr, "brewput: no timeline of %s %s: its measured time did not begin, or its design "+
				"hangs\n", c.Design, c.Point)
			continue
		}
		all = append(all, tl)
		spans += len(tl.Spans)
		if got := time.Duration(tl.To - tl.From); got < o.timelineSpan && short == "" {
			short = fmt.Sprintf("; %s ended after %v", tl.Title, got)
		}
	}
	if all == nil {
		return nil
	}

	write := timelineFormats[filepath.Ext(o.timeline)]
	err = store.Replace(o.timeline, func(w io.Writer) error { return write(w, all) })
	if err != nil {
		return fmt.Errorf("the timeline could not be written: %w", err)
	}
	fmt.Fprintf(a.notes, "timeline in %s: %s, %s in %v each%s\n", o.timeline, result.Count(len(all), "case"),
		result.Count(spans, "span"), o.timelineSpan, short)
	return nil
}

// writableFiles refuses files that cannot be written, before anything is calculated for them.
func (o *runOptions) writableFiles(w *workload.Workload, given map[string]string) error {
	if o.recordCosts != "" {
		if err := writable("--record-costs", o.recordCosts); err != nil {
			return err
		}
	}
	if o.timeline == "" {
		return nil
	}
	s, err := o.simulateOptions(given)
	if err != nil {
		return err
	}
	cases, err := s.Cases(w)
	if err != nil {
		return withExitCode(err)
	}
	return o.checkTimeline(len(cases))
}
