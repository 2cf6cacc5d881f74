package findings

import (
	"encoding/xml"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rects returns the attributes of a chart's rectangles, and the height of a program. The chart must be well-formed.
func rects(t *testing.T, svg string) (all []map[string]string, unit int) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return all, unit
		}
		if err != nil {
			t.Fatal(err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		attributes := map[string]string{}
		for _, a := range e.Attr {
			attributes[a.Name.Local] = a.Value
		}
		switch e.Name.Local {
		case "svg":
			unit = number(t, attributes["data-unit"])
		case "rect":
			all = append(all, attributes)
		}
	}
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The height of a class's bar is its support, not the number of predictions. Its parts are stacked.
func TestMistakesHeights(t *testing.T) {
	s := NewScore(known())
	type part struct{ y, height int }
	bars := map[string][]part{}
	all, unit := rects(t, Mistakes(s, "mistakes"))
	for _, r := range all {
		if actual, ok := r["data-actual"]; ok {
			p := part{number(t, r["y"]), number(t, r["height"])}
			bars[actual] = append(bars[actual], p)
			if p.height != s.Confusion[actual][r["data-predicted"]]*unit {
				t.Errorf("%s predicted %s is %d high", actual, r["data-predicted"], p.height)
			}
		}
	}
	if len(bars) != len(s.Classes) {
		t.Errorf("%d bars for %d classes", len(bars), len(s.Classes))
	}
	for _, c := range s.Classes {
		parts := bars[c.Name]
		slices.SortFunc(parts, func(a, b part) int { return a.y - b.y })
		height := 0
		for i, p := range parts {
			height += p.height
			if i > 0 && parts[i-1].y+parts[i-1].height != p.y {
				t.Errorf("%s: parts do not stand on each other: %v", c.Name, parts)
			}
		}
		if height != c.Support*unit {
			t.Errorf("the bar of %s is %d high, its support is %d", c.Name, height, c.Support)
		}
	}
}

func TestBalanceHeights(t *testing.T) {
	s := NewScore(known())
	heights := map[string]int{}
	all, unit := rects(t, Balance(s, "balance"))
	for _, r := range all {
		if r["data-class"] != "" {
			heights[r["class"]+" "+r["data-class"]] = number(t, r["height"]) / unit
		}
	}
	for bar, want := range map[string]int{
		"actual coarse-lock": 8, "predicted coarse-lock": 7, "actual chan-handoff": 5, "predicted chan-handoff": 6,
		"actual healthy": 10, "predicted healthy": 10, "actual busy-wait": 2, "predicted busy-wait": 2,
	} {
		if heights[bar] != want {
			t.Errorf("%s is %d, want %d", bar, heights[bar], want)
		}
	}
}
