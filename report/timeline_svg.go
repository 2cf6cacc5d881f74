package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/brewput/brewput/timeline"
)

// Dimensions of the picture.
const (
	svgMargin    px = 16_00
	svgGutter    px = 170_00 // for the labels left of the lanes
	svgLanes     px = 1400_00
	svgWidth        = svgGutter + svgLanes + svgMargin
	laneGap      px = 4_00
	panelGap     px = 22_00
	titleSpace   px = 26_00
	axisSpace    px = 22_00
	lineSpace    px = 18_00
	minSpanWidth px = 30 // shorter spans are drawn together
)

// TimelineSVG draws timelines below each other. Each has a lane for each CPU, coloured by request, and one for each
// queue, whose lowest bar has waited longest. The picture has neither scripts nor links.
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
	t        *timeline.Timeline
	queues   []timeline.Queue
	lane     px             // height of the lane of a CPU
	prefixes map[string]int // least number of letters that distinguish a stage's name from the others
}

func newPanel(t *timeline.Timeline) *panel {
	p := &panel{t: t, queues: t.Queues(maxPositions), lane: 30_00, prefixes: stagePrefixes(t.Stages())}
	switch {
	case t.CPUs > 64:
		p.lane = 6_00
	case t.CPUs > 16:
		p.lane = 16_00
	}
	return p
}

// stagePrefixes returns for each name the number of leading letters that distinguish it from the others.
func stagePrefixes(names []string) map[string]int {
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

// x is the position of a time.
func (p *panel) x(ns int64) px { return svgGutter + p.width(p.t.From, ns) }

// width is the length of the time from from to to.
func (p *panel) width(from, to int64) px {
	span := max(1, p.t.To-p.t.From)
	whole, rest := (to-from)/span, (to-from)%span
	if span > 1<<40 { // the product below would not fit
		return px(whole)*svgLanes + px(rest/(span/int64(svgLanes)))
	}
	return px(whole)*svgLanes + px(rest*int64(svgLanes)/span)
}

// positionHeight is the height of one position of a queue.
func positionHeight(q *timeline.Queue) px {
	return max(5_00, min(12_00, 84_00/px(min(q.Longest, maxPositions))))
}

// queueHeight is the height of a queue's lane.
func queueHeight(q *timeline.Queue) px {
	return max(26_00, positionHeight(q)*px(min(q.Longest, maxPositions))+2_00)
}

// height is the height of the panel.
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

// draw draws the panel from y down.
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
		s.text("small", svgGutter, bottom+28_00, "No queues: nothing waited for a lock, a channel or a CPU.")
	}

	p.axis(s, tops[0], bottom)
	p.cpus(s, tops)
	for i := range p.queues {
		p.queue(s, &p.queues[i], queueTops[i]+queueHeight(&p.queues[i])-1_00)
	}
}

// label writes a queue's name and size left of its lane.
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
	if q.Longest > maxPositions {
		s.text("small", svgMargin, middle+22_00, fmt.Sprintf("the first %d drawn", maxPositions))
	}
}

// axis draws the vertical lines of the times and their numbers.
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
