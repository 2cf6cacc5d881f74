package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/brewput/brewput/timeline"
)

// The measures of the picture.
const (
	svgMargin  px = 16_00
	svgGutter  px = 170_00 // labels, left of the lanes
	svgLanes   px = 1400_00
	svgWidth      = svgGutter + svgLanes + svgMargin
	laneGap    px = 4_00
	panelGap   px = 22_00
	titleSpace px = 26_00
	axisSpace  px = 22_00
	lineSpace  px = 18_00
	shortest   px = 30 // a span that is drawn by itself; shorter ones are drawn together
)

// TimelineSVG draws timelines one below the other: a lane for each CPU, coloured by request, then one for each
// queue, whose lowest bar has waited longest. It has neither scripts nor links.
func TimelineSVG(w io.Writer, all []*timeline.Timeline) error {
	var panels []*panel
	height := svgMargin
	var titles []string
	for _, t := range all {
		p := newPanel(t)
		panels = append(panels, p)
		height += p.height() + panelGap
		titles = append(titles, t.Title)
	}
	notes := legend(panels)
	s := newSVG(w)
	s.begin(svgWidth, height+px(len(notes)+1)*lineSpace+svgMargin, strings.Join(titles, "; "))
	y := svgMargin
	for _, p := range panels {
		p.draw(s, y)
		y += p.height() + panelGap
	}
	drawLegend(s, y, notes)
	return s.end()
}

// panel is the picture of one timeline.
type panel struct {
	t      *timeline.Timeline
	queues []timeline.Queue
	lane   px             // height of the lane of a CPU
	least  map[string]int // letters of a stage's name that tell it from the others
}

func newPanel(t *timeline.Timeline) *panel {
	p := &panel{t: t, queues: t.Queues(places), lane: 30_00, least: least(t.Stages())}
	switch {
	case t.CPUs > 64:
		p.lane = 6_00
	case t.CPUs > 16:
		p.lane = 16_00
	}
	return p
}

// least is the number of letters at the beginning of each name that tell it from the others.
func least(names []string) map[string]int {
	m := map[string]int{}
	for _, name := range names {
		runes := []rune(name)
		n := 1
		for n < len(runes) && slices.ContainsFunc(names,
			func(o string) bool { return o != name && strings.HasPrefix(o, string(runes[:n])) }) {
			n++
		}
		m[name] = n
	}
	return m
}

// x is where a time is, wide how much room it takes.
func (p *panel) x(ns int64) px { return svgGutter + p.wide(p.t.From, ns) }

func (p *panel) wide(from, to int64) px {
	span := max(1, p.t.To-p.t.From)
	whole, rest := (to-from)/span, (to-from)%span
	if span > 1<<40 { // the product below would not fit
		return px(whole)*svgLanes + px(rest/(span/int64(svgLanes)))
	}
	return px(whole)*svgLanes + px(rest*int64(svgLanes)/span)
}

// placeHeight is the height of one place of a queue.
func placeHeight(q *timeline.Queue) px {
	return max(5_00, min(12_00, 84_00/px(min(q.Longest, places))))
}

func queueHeight(q *timeline.Queue) px {
	return max(26_00, placeHeight(q)*px(min(q.Longest, places))+2_00)
}

func (p *panel) height() px {
	h := titleSpace + px(p.t.CPUs)*(p.lane+laneGap) + axisSpace
	for i := range p.queues {
		h += queueHeight(&p.queues[i]) + laneGap
	}
	if p.queues == nil {
		h += lineSpace
	}
	return h
}

func (p *panel) draw(s *svg, y px) {
	s.text("title", svgMargin, y+14_00, p.t.Title)
	y += titleSpace
	bottom := y + p.height() - titleSpace - axisSpace
	tops := make([]px, p.t.CPUs)
	for i := range tops {
		tops[i] = y
		s.rect("lane", svgGutter, y, svgLanes, p.lane, "")
		if p.lane >= 12_00 {
			s.text("", svgMargin, y+p.lane/2+4_00, fmt.Sprint("CPU ", i))
		}
		y += p.lane + laneGap
	}
	queueTops := make([]px, len(p.queues))
	for i := range p.queues {
		q := &p.queues[i]
		queueTops[i] = y
		s.rect("lane", svgGutter, y, svgLanes, queueHeight(q), "")
		p.label(s, q, y)
		y += queueHeight(q) + laneGap
	}
	if p.queues == nil {
		bottom -= lineSpace
		s.text("small", svgGutter, bottom+28_00, "No queues: nobody waited for a lock, for a channel or for a CPU.")
	}
	p.axis(s, tops[0], bottom)
	p.cpus(s, tops)
	for i := range p.queues {
		p.queue(s, &p.queues[i], queueTops[i]+queueHeight(&p.queues[i])-1_00)
	}
}

// label tells what stands in a lane.
func (p *panel) label(s *svg, q *timeline.Queue, y px) {
	about := fmt.Sprintf("longest %d", q.Longest)
	switch {
	case q.Pool:
		about += ", waiting for one"
	case q.Kind == timeline.Channel:
		about = fmt.Sprintf("room %d, %s", q.Room, about)
	}
	name := queueName(q.Resource)
	if len([]rune(name)) > 24 {
		name = string([]rune(name)[:23]) + "…"
	}
	middle := y + queueHeight(q)/2
	s.text("", svgMargin, middle-1_00, name)
	s.text("small", svgMargin, middle+11_00, about)
	if q.Longest > places {
		s.text("small", svgMargin, middle+22_00, fmt.Sprintf("the first %d drawn", places))
	}
}

// cpus draws who ran where.
func (p *panel) cpus(s *svg, tops []px) {
	lanes := make([]cluster, len(tops))
	for i := range p.t.Spans {
		sp := &p.t.Spans[i]
		if !sp.Kind.OnCPU() {
			continue
		}
		top, lane := tops[sp.CPU], &lanes[sp.CPU]
		x, width := p.x(sp.Start), p.wide(sp.Start, sp.End)
		if width < shortest {
			lane.add(s, x, width, top, p.lane)
			continue
		}
		lane.flush(s, top, p.lane)
		class := hue(sp.Request)
		if sp.Kind == timeline.Overhead {
			class = "cost"
		}
		s.rect(class, x, top, apart(width), p.lane, p.about(sp))
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
		stage = string([]rune(stage)[:max(room, p.least[sp.Stage])])
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
func apart(width px) px {
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
	h := placeHeight(q)
	clusters := make([]cluster, places)
	for i := range q.Intervals {
		piece := &q.Intervals[i]
		top := bottom - h*px(piece.Position+1)
		x, width := p.x(piece.Start), p.wide(piece.Start, piece.End)
		c := &clusters[piece.Position]
		if width < shortest {
			c.add(s, x, width, top, h-50)
			continue
		}
		c.flush(s, top, h-50)
		class, what := hue(piece.Request), "waits"
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
		s.rect(class, x, top, apart(width), h-50,
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
	if c.to == 0 || x-c.to > shortest {
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

// axis draws the lines of the times and their numbers.
func (p *panel) axis(s *svg, top, bottom px) {
	step := int64(1)
	for i := 0; (p.t.To-p.t.From)/step > 12; i++ {
		step *= [...]int64{2, 5, 2}[i%3]
		if i%3 == 1 {
			step /= 2 // 1, 2, 5, 10
		}
	}
	for at := int64(0); at <= p.t.To-p.t.From; at += step {
		x := p.x(p.t.From + at)
		s.vertical("grid", x, top, bottom-top)
		s.text("small mid", x, bottom+12_00, milliseconds(at, step))
	}
	s.text("small", svgMargin, bottom+12_00, "ms from "+milliseconds(p.t.From, 1)+" ms on")
}

// milliseconds prints nanoseconds with as many decimals as a multiple of step needs.
func milliseconds(ns, step int64) string {
	decimals := 6
	for ; decimals > 0 && step%10 == 0; decimals-- {
		step /= 10
	}
	text := fmt.Sprintf("%d.%06d", ns/1e6, ns%1e6)
	text = text[:len(text)-6+decimals]
	if step == 1 && decimals == 6 {
		text = strings.TrimRight(text, "0")
	}
	return strings.TrimSuffix(text, ".")
}

// hue is the class of a request's colour.
func hue(request int64) string {
	if request == timeline.NoRequest {
		return "none"
	}
	return fmt.Sprint("q", request%hues)
}
