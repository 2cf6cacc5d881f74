// Package extra lists the designs that use modules which brewput does not compile, such as databases. The program
// brewput-extra adds them to brewput.
package extra

import (
	"embed"
	"io/fs"

	"github.com/brewput/brewput/extra/grpc"
	"github.com/brewput/brewput/extra/identity"
	"github.com/brewput/brewput/extra/journal"
	"github.com/brewput/brewput/extra/messenger"
	"github.com/brewput/brewput/extra/peers"
	"github.com/brewput/brewput/extra/remote"
	"github.com/brewput/brewput/extra/set"
	"github.com/brewput/brewput/workload"
)

//go:embed grpc/*.go identity/*.go journal/*.go messenger/*.go peers/*.go set/*.go
var sources embed.FS

// Workloads returns the workloads of package catalog that have such designs, with these designs and their sources only.
func Workloads() []*workload.Workload {
	all := []*workload.Workload{identity.Workload(), peers.Workload(), set.Workload(), journal.Workload(),
		messenger.Workload(), grpc.Workload()}
	for _, w := range all {
		source, err := fs.Sub(sources, w.Name)
		if err != nil {
			panic(err) // impossible: it means an invalid folder name, which the embed directive refuses
		}
		w.Source = source
	}
	return all
}

// Servers returns the servers that the designs start, each in a process of its own.
func Servers() []remote.Server {
	return []remote.Server{identity.Server(), messenger.Server(), peers.Server()}
}
