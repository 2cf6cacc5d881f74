package report

import (
	"fmt"
	"io"

	"github.com/brewput/brewput/explain"
)

// Explanation writes what holds a program back.
func Explanation(w io.Writer, r explain.Report, e *explain.Evidence, st Style) error {
	for _, f := range r.Findings {
		fmt.Fprintln(w, f.Name, f.Claim)
	}
	for _, n := range r.Notes {
		fmt.Fprintln(w, n)
	}
	return nil
}
