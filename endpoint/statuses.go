package endpoint

import (
	"strconv"
	"strings"

	"github.com/brewput/brewput/plan"
)

// Statuses is a set of statuses, such as 200,404 or 2xx. The zero value is the empty set.
type Statuses struct {
	text string
	in   map[int]bool
}

// ParseStatuses reads a list of statuses and classes, such as "200,3xx". The error names the wrong term.
func ParseStatuses(text string) (Statuses, error) {
	s := Statuses{text: text, in: map[int]bool{}}
	for term := range strings.SplitSeq(text, ",") {
		term = strings.TrimSpace(term)
		first, width := term, 1
		if len(term) == 3 && strings.EqualFold(term[1:], "xx") {
			first, width = term[:1]+"00", 100
		}
		code, err := strconv.ParseUint(first, 10, 16)
		if err != nil || len(first) != 3 || code < 100 || code > 599 {
			return Statuses{}, plan.Refuse("expect-status", quoted(term), "is not a status").
				Suggest("give a list such as 200,404 or 2xx")
		}
		for i := range width {
			s.in[int(code)+i] = true
		}
	}
	return s, nil
}

// Has reports whether a status is in the set.
func (s Statuses) Has(status int) bool { return s.in[status] }

// Empty reports whether the set has no status.
func (s Statuses) Empty() bool { return len(s.in) == 0 }

// String returns the list as it was read.
func (s Statuses) String() string { return s.text }
