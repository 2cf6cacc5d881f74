// Command brewput is a performance laboratory for concurrent Go, with the workloads of package catalog. See the README,
// or brewput help.
package main

import (
	"github.com/brewput/brewput"
	"github.com/brewput/brewput/catalog"
	// handles an interrupt that arrives while the program starts
	_ "github.com/brewput/brewput/internal/interrupt/early"
	"github.com/brewput/brewput/internal/plugin"
)

func main() { brewput.Main(plugin.Attach(catalog.All())...) }
