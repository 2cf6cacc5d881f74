// Package catalog lists the built-in workloads. Each has a folder of its own, with a file for each design or family of
// designs. The last ones are those of package endpoint.
package catalog

import (
	"embed"
	"io/fs"

	"github.com/brewput/brewput/catalog/coffee"
	"github.com/brewput/brewput/catalog/find"
	"github.com/brewput/brewput/catalog/identity"
	"github.com/brewput/brewput/catalog/journal"
	"github.com/brewput/brewput/catalog/lines"
	"github.com/brewput/brewput/catalog/mandelbrot"
	"github.com/brewput/brewput/catalog/merge"
	"github.com/brewput/brewput/catalog/messenger"
	"github.com/brewput/brewput/catalog/null"
	"github.com/brewput/brewput/catalog/parse"
	"github.com/brewput/brewput/catalog/peers"
	"github.com/brewput/brewput/catalog/set"
	"github.com/brewput/brewput/catalog/sort"
	"github.com/brewput/brewput/catalog/sum"
	"github.com/brewput/brewput/catalog/words"
	"github.com/brewput/brewput/endpoint"
	"github.com/brewput/brewput/endpoint/corenlp"
	"github.com/brewput/brewput/workload"
)

//go:embed coffee/*.go find/*.go identity/*.go lines/*.go mandelbrot/*.go merge/*.go null/*.go parse/*.go peers/*.go
//go:embed journal/*.go messenger/*.go set/*.go sort/*.go sum/*.go words/*.go
var sources embed.FS

// All returns new instances of the built-in workloads, with their sources, in the order of the manual.
func All() []*workload.Workload {
	all := []*workload.Workload{
		coffee.Workload(), words.Workload(), mandelbrot.Workload(), sum.Workload(), sort.Workload(), find.Workload(),
		lines.Workload(), parse.Workload(), merge.Workload(), identity.Workload(), peers.Workload(),
		messenger.Workload(), set.Workload(), journal.Workload(), null.Workload(),
	}
	for _, w := range all {
		source, err := fs.Sub(sources, w.Name)
		if err != nil {
			panic(err) // impossible: it means an invalid folder name, which the embed directive refuses
		}
		w.Source = source
	}
	return append(all, endpoint.Workload(), endpoint.RPCWorkload(nil), corenlp.Workload()) // which have their own
}
