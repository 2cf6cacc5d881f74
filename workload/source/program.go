package source

import (
	"fmt"

	"github.com/brewput/brewput/workload"
)

// ofProgram returns the code of a design that another program has, as that program gave it.
func ofProgram(d workload.Design) (Source, error) {
	p := d.Program
	if p.Source == "" {
		return Source{}, fmt.Errorf("the source of %s is in %s, which does not give it; see the package %s", d.Name,
			p.File, p.Package)
	}
	return Source{Parts: []Part{{File: p.Package, Line: 1, Text: p.Source}}, Lines: Lines([]byte(p.Source))}, nil
}
