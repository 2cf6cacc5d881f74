// Command brewput-extra adds designs to brewput, which runs it: those of package extra.
package main

import (
	"github.com/brewput/brewput/catalog"
	"github.com/brewput/brewput/extra"
	"github.com/brewput/brewput/extra/remote"
	"github.com/brewput/brewput/internal/plugin"
)

func main() {
	remote.Main(extra.Servers()...)
	plugin.Main(catalog.All(), extra.Workloads())
}
