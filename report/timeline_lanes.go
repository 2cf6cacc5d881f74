package report

import (
	"fmt"
	"strings"

	"github.com/brewput/brewput/timeline"
)

// cpus draws who ran where.
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

// about is what a span says when it is pointed at.
func (p *panel) about(sp *timeline.Span) string {
	return fmt.Sprintf("%s on CPU %d, %s, %s to %s ms", spanName(p.t, sp), sp.CPU, p.t.Goroutines[sp.Goroutine],
		milliseconds(sp.Start-p.t.From, 1), milliseconds(sp.End-p.t.From, 1))
}

// inscribe writes the request into its bar, and the stage below, as far as there is room.
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

// apart is the width of a bar that leaves a gap before the next, where that costs it little.
func barWidth(width px) px {
	if width < 3_00 {
		return width
	}
	return width - 70
}

// fits reports whether a text of letters so wide has room.
func fits(text string, letter, width px) bool {
	return px(len([]rune(text)))*letter+2_00 <= width
}

// queue draws who stood where in a line, from the bottom up.
func (p *panel) queue(s *svg, q *timeline.Queue, bottom px) {
	h := positionHeight(q)
	clusters := make([]cluster, maxPositions)
	for i := range q.Intervals {
		piece := &q.Intervals[i]
		top := bottom - h*px(piece.Position+1)
		x, width := p.x(piece.Start), p.width(piece.Start, piece.End)
		c := &clusters[piece.Position]
		if width < minSpanWidth {
			c.add(s, x, width, top, h-50)
			continue
		}
		c.flush(s, top, h-50)
		class, what := requestClass(piece.Request), "waits"
		switch {
		case piece.Buffered:
			what = "in the channel"
		case q.Kind == timeline.Channel && !q.Pool:
			class += " pale"
			what = "waits to be sent"
		}
		number := ""
		if piece.Request != timeline.NoRequest {
			number = fmt.Sprint(piece.Request)
		}
		if piece.Goroutine != timeline.None {
			what += ", " + p.t.Goroutines[piece.Goroutine]
		}
		s.rect(class, x, top, barWidth(width), h-50,
			fmt.Sprintf("%s, place %d of %s, %s to %s ms", strings.TrimSpace(number+" "+what), piece.Position+1,
				queueName(q.Resource), milliseconds(piece.Start-p.t.From, 1), milliseconds(piece.End-p.t.From, 1)))
		if h >= 10_00 && number != "" && fits(number, 4_90, width) {
			s.text("ins", x+width/2, top+h-3_00, number)
		}
	}
	for i := range clusters {
		clusters[i].flush(s, bottom-h*px(i+1), h-50)
	}
}

// cluster is a row of spans too short to be drawn each by itself.
type cluster struct{ from, to px }

// add takes one more span in, and draws the cluster before it if that is not next to it.
func (c *cluster) add(s *svg, x, width, top, height px) {
	if c.to == 0 || x-c.to > minSpanWidth {
		c.flush(s, top, height)
		c.from = x
	}
	c.to = max(c.to, x+width)
}

func (c *cluster) flush(s *svg, top, height px) {
	if c.to > c.from {
		s.rect("many", c.from, top, c.to-c.from, height, "")
	}
	*c = cluster{}
}

// hue is the class of a request's colour.
func requestClass(request int64) string {
	if request == timeline.NoRequest {
		return "none"
	}
	return fmt.Sprint("q", request%hues)
}
