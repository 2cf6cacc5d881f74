package report

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/brewput/brewput/internal/quote"
)

// px is a length in hundredths of a pixel. Pictures are computed in integers, so that their bytes are the same on
// every machine.
type px int64

func (p px) String() string {
	s := strconv.FormatInt(int64(p/100), 10)
	if r := p % 100; r != 0 {
		s += strings.TrimRight(fmt.Sprintf(".%02d", r), "0")
	}
	return s
}

// svg writes a picture. Lengths must not be negative.
type svg struct{ w *bufio.Writer }

func newSVG(w io.Writer) *svg { return &svg{bufio.NewWriter(w)} }

// begin opens the picture. It draws its own background, which follows the light or dark scheme of the viewer.
func (s *svg) begin(width, height px, title string) {
	fmt.Fprintf(s.w, `<svg xmlns="http://www.w3.org/2000/svg" width="%v" height="%v" viewBox="0 0 %v %v" role="img">`+
		"\n", width, height, width, height)
	fmt.Fprintf(s.w, "<title>%s</title>\n<style>\n%s</style>\n", escapeXML(title), svgStyle)
	s.rect("bg", 0, 0, width, height, "")
}

func (s *svg) end() error {
	s.w.WriteString("</svg>\n")
	return s.w.Flush()
}

// rect draws a rectangle. Viewers show about as its tooltip; "" has none.
func (s *svg) rect(class string, x, y, width, height px, about string) {
	fmt.Fprintf(s.w, `<rect class="%s" x="%v" y="%v" width="%v" height="%v"`, class, x, y, width, height)
	if about == "" {
		s.w.WriteString("/>\n")
		return
	}
	fmt.Fprintf(s.w, "><title>%s</title></rect>\n", escapeXML(about))
}

func (s *svg) text(class string, x, y px, text string) {
	fmt.Fprintf(s.w, `<text class="%s" x="%v" y="%v">%s</text>`+"\n", class, x, y, escapeXML(text))
}

// vertical draws a line from y to y+height.
func (s *svg) vertical(class string, x, y, height px) {
	fmt.Fprintf(s.w, `<path class="%s" d="M%v %vv%v"/>`+"\n", class, x, y, height)
}

func escapeXML(s string) string { return quote.XML(s) }

// hues is the number of colours of requests. They are those of Okabe and Ito (Color Universal Design, 2008) without
// black, which people with any colour vision can distinguish.
const hues = 7

const svgStyle = `text{font-family:"Helvetica Neue",Arial,"Liberation Sans",sans-serif;font-size:12px;fill:#1b1b1f}
.bg{fill:#fff}.lane{fill:#eeeef2}.grid{stroke:#d3d3da;fill:none}
.pale{fill-opacity:.55}.title{font-size:15px;font-weight:bold}.small{font-size:10px;fill:#5c5c66}.end{text-anchor:end}.mid{text-anchor:middle}
@media (prefers-color-scheme:dark){text{fill:#ececf0}.bg{fill:#16171b}.lane{fill:#25272d}.grid{stroke:#3b3e46}.small{fill:#a7a9b3}.pale{fill-opacity:.72}}
.in,.ins{fill:#000;text-anchor:middle;pointer-events:none}.in{font-size:9.5px;font-weight:bold}.ins{font-size:8.5px}
.q0{fill:#e69f00}.q1{fill:#56b4e9}.q2{fill:#1fb58b}.q3{fill:#f0e442}.q4{fill:#4f93d8}.q5{fill:#e8743b}.q6{fill:#d98fb8}
.none{fill:#b4b4bf}.cost{fill:#66676f}.many{fill:#9a7fb0}
`
