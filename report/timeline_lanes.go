package report

import (
	"fmt"
	"strings"

	"github.com/brewput/brewput/timeline"
)

// cpus draws which goroutine ran on which CPU.
func (p *panel) cpus(s *svg, tops []px) {
	lanes := make([]cluster, len(tops))
	for i := range p.t.Spans {
		sp := &p.t.Spans[i]
		if !sp.Kind.OnCPU() {
			continue
		}
		top, lane := tops[sp.CPU], &lanes[sp.CPU]
		x, width := p.x(sp.Start), p.width(sp.Start, sp.End)
		if width < minSpanWidth {
			lane.add(s, x, width, top, p.lane)
			continue
		}

		lane.flush(s, top, p.lane)
		class := requestClass(sp.Request)
		if sp.Kind == timeline.Overhead {
			class = "cost"
		}
		s.rect(class, x, top, barWidth(width), p.lane, p.about(sp))
		if sp.Kind == timeline.Running {
			p.inscribe(s, sp, x, width, top)
		}
	}

	for i := range lanes {
		lanes[i].flush(s, tops[i], p.lane)
	}
}

// about is the tooltip of a span.
func (p *panel) about(sp *timeline.Span) string {
	return fmt.Sprintf("%s on CPU %d, %s, %s to %s ms", spanName(p.t, sp), sp.CPU, p.t.Goroutines[sp.Goroutine],
		milliseconds(sp.Start-p.t.From, 1), milliseconds(sp.End-p.t.From, 1))
}

// inscribe writes the request into its bar and the stage below it, as far as there is room.
func (p *panel) inscribe(s *svg, sp *timeline.Span, x, width, top px) {
	if p.lane < 12_00 {
		return
	}

	middle := x + width/2
	number := ""
	if sp.Request != timeline.NoRequest {
		number = fmt.Sprint(sp.Request)
	}
	stage := sp.Stage
	if number == "" && stage == "" {
		stage = p.t.Goroutines[sp.Goroutine]
	}

	if room := int((width - 2_00) / 4_90); room < len([]rune(stage)) {
		stage = string([]rune(stage)[:max(room, p.prefixes[sp.Stage])])
	}

	line := top + p.lane/2 + 4_00
	if p.lane >= 28_00 && number != "" && stage != "" {
		if fits(stage, 4_90, width) {
			s.text("ins", middle, top+p.lane-5_00, stage)
		}
		line = top + 13_00
	}
	switch {
	case number != "" && fits(number, 6_30, width):
		s.text("in", middle, line, number)
	case number == "" && stage != "" && fits(stage, 4_90, width):
		s.text("ins", middle, line, stage)
	}
}

// barWidth is the width of a bar that leaves a gap before the next, unless the bar is too narrow.
func barWidth(width px) px {
	if width < 3_00 {
		return width
	}
	return width - 70
}

// fits reports whether a text of letters of this width has room.
func fits(text string, letter, width px) bool {
	return px(len([]rune(text)))*letter+2_00 <= width
}

// queue draws which request was at which position of a queue, from the bottom up.
func (p *panel) queue(s *svg, q *timeline.Queue, bottom px) {
	h := positionHeight(q)
	clusters := make([]cluster, maxPositions)
	for i := range q.Intervals {
		interval := &q.Intervals[i]
		top := bottom - h*px(interval.Position+1)
		x, width := p.x(interval.Start), p.width(interval.Start, interval.End)
		c := &clusters[interval.Position]
		if width < minSpanWidth {
			c.add(s, x, width, top, h-50)
			continue
		}
		c.flush(s, top, h-50)

		class, what := requestClass(interval.Request), "waits"
		switch {
		case interval.Buffered:
			what = "in the channel"
		case q.Kind == timeline.Channel && !q.Pool:
			class += " pale"
			what = "waits to be sent"
		}

		number := ""
		if interval.Request != timeline.NoRequest {
			number = fmt.Sprint(interval.Request)
		}
		if interval.Goroutine != timeline.None {
			what += ", " + p.t.Goroutines[interval.Goroutine]
		}
		s.rect(class, x, top, barWidth(width), h-50,
			fmt.Sprintf("%s, place %d of %s, %s to %s ms", strings.TrimSpace(number+" "+what), interval.Position+1,
				queueName(q.Resource), milliseconds(interval.Start-p.t.From, 1),
				milliseconds(interval.End-p.t.From, 1)))
		if h >= 10_00 && number != "" && fits(number, 4_90, width) {
			s.text("ins", x+width/2, top+h-3_00, number)
		}
	}

	for i := range clusters {
		clusters[i].flush(s, bottom-h*px(i+1), h-50)
	}
}

// cluster is a row of spans that are too short to be drawn separately.
type cluster struct{ from, to px }

// add adds a span. It first draws the spans before it if they are not adjacent.
func (c *cluster) add(s *svg, x, width, top, height px) {
	if c.to == 0 || x-c.to > minSpanWidth {
		c.flush(s, top, height)
		c.from = x
	}
	c.to = max(c.to, x+width)
}

// flush draws the cluster and empties it.
func (c *cluster) flush(s *svg, top, height px) {
	if c.to > c.from {
		s.rect("many", c.from, top, c.to-c.from, height, "")
	}
	*c = cluster{}
}

// requestClass is the class of a request's colour.
func requestClass(request int64) string {
	if request == timeline.NoRequest {
		return "none"
	}
	return fmt.Sprint("q", request%hues)
}
