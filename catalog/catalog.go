// Package catalog lists the built-in workloads: one folder each, one file per design or family of
// designs.
package catalog

import (
	"embed"
	"io/fs"

	"github.com/brewput/brewput/catalog/coffee"
	"github.com/brewput/brewput/catalog/find"
	"github.com/brewput/brewput/catalog/lines"
	"github.com/brewput/brewput/catalog/mandelbrot"
	"github.com/brewput/brewput/catalog/null"
	"github.com/brewput/brewput/catalog/parse"
	"github.com/brewput/brewput/catalog/sort"
	"github.com/brewput/brewput/catalog/sum"
	"github.com/brewput/brewput/catalog/words"
	"github.com/brewput/brewput/workload"
)

//go:embed coffee/*.go find/*.go lines/*.go mandelbrot/*.go null/*.go parse/*.go sort/*.go sum/*.go words/*.go
var sources embed.FS

// All are the built-in workloads.
func All() []*workload.Workload {
	all := []*workload.Workload{
		coffee.Workload(), words.Workload(), mandelbrot.Workload(), sum.Workload(), sort.Workload(), find.Workload(),
		lines.Workload(), parse.Workload(), null.Workload(),
	}
	for _, w := range all {
		source, err := fs.Sub(sources, w.Name)
		if err != nil {
			panic(err) // only an invalid folder name, which the embed directive above would refuse
		}
		w.Source = source
	}
	return all
}
