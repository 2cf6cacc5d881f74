package parse

import (
	"time"

	"github.com/brewput/brewput/env"
)

// formats returns the formats of dates. No text fits two of them, so the answer does not depend on their order.
func formats() []string {
	return []string{"2006-01-02", "2006/01/02", "02.01.2006", "20060102", "2 January 2006", "January 2, 2006",
		"02-Jan-2006", "Monday, 02-Jan-06"}
}

// input is a list of dates with the right answer.
type input struct {
	formats  []string
	dates    []string
	formatOf []int // of each date; len(formats) for one that has none
	want     tally
}

// newInput makes n random dates, always the same. Runs of dates have the same format, and one date in 500 has none.
func newInput(n, run, kinds int) *input {
	in := &input{formats: formats()[:kinds], dates: make([]string, n), formatOf: make([]int, n)}
	r, format := env.NewRand(1).At(0, 0), 0
	for i := range n {
		if i%run == 0 {
			format = int(r.Uint64() % uint64(kinds))
		}
		x := r.Uint64()
		day := time.Date(1970+int(x%60), time.Month(1+(x>>8)%12), 1+int((x>>16)%28), 0, 0, 0, 0, time.UTC)
		in.dates[i], in.formatOf[i] = day.Format(in.formats[format]), format
		if (x>>32)%500 == 0 {
			in.dates[i], in.formatOf[i] = "on "+in.dates[i], kinds
			continue
		}
		in.want.add(day)
	}
	return in
}
