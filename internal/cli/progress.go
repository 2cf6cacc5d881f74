package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/report"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// heartbeat is the time between two lines of progress without a terminal.
const heartbeat = 30 * time.Second

// progress is one line on a terminal, redrawn before each trial. Without a terminal it is a new line before the first
// trial after each heartbeat. It never writes during a trial, because that would disturb the measurement.
type progress struct {
	w      io.Writer
	width  int              // 0 without a terminal
	now    func() time.Time // the clock of heartbeats
	last   time.Time        // of the last heartbeat, at first of the start
	header *sweep.Header    // of the run, nil before it begins
}

// newProgress draws on the writer below the quoting one, because it redraws its line by escape sequences. It quotes
// the text itself.
func newProgress(w io.Writer) *progress {
	if q, ok := w.(*quote.Writer); ok {
		w = q.Unwrap()
	}
	width, ok := terminal(w)
	if !ok || os.Getenv("TERM") == "dumb" {
		width = 0
	}
	return &progress{w: w, width: width, now: time.Now, last: time.Now()}
}

// terminal returns the width of w if it is a terminal.
func terminal(w io.Writer) (width int, ok bool) {
	if o, ok := w.(*dataWriter); ok {
		w = o.to
	}
	f, isFile := w.(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		width = 80
	}
	return width, true
}

// view is how much a verb prints.
type view struct {
	parts          []string // optional parts of the page to show
	full           bool     // show all of them
	quiet, verbose bool
}

// addTo adds the flags of verbs that print a page.
func (v *view) addTo(f *pflag.FlagSet) {
	f.StringSliceVar(&v.parts, "show", nil, "`PARTS` of the page to show in addition, such as plots,resources,cpu")
	f.BoolVar(&v.full, "full", false, "show all parts of the page")
}

// pageStyle is the style of pages on stdout.
func (a *app) pageStyle() report.Style {
	width, isTerminal := terminal(a.stdout)
	st := report.StyleFor(os.Getenv, isTerminal, width)
	st.Parts, st.Full = a.view.parts, a.view.full || a.view.verbose
	return st
}

func (p *progress) show(e sweep.Event) {
	if p.width == 0 {
		if now := p.now(); now.Sub(p.last) >= heartbeat {
			p.last = now
			fmt.Fprintln(p.w, e.Describe(p.header))
		}
		return
	}
	watched := ""
	if e.Step.Instrumented {
		watched = " (instrumented)"
	}
	left := ""
	if e.TimeLeft > 0 {
		left = "  " + result.Rounded(e.TimeLeft).String() + " left"
	}
	what := fmt.Sprintf("block %d", e.Step.Block+1)
	if e.Pilot {
		what = "how long a warm-up?"
	}
	line := fmt.Sprintf("%d/%d%s  %s  %s %s%s", e.Done+1, e.Total, left, what, e.Case.Design, e.Case.Point, watched)
	fmt.Fprintf(p.w, "\r\x1b[K%s", quote.Cut(quote.Line(line), p.width-1))
}

func (p *progress) clear() {
	if p.width > 0 {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
