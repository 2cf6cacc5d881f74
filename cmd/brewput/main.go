// Brewput is a performance laboratory for concurrent Go. See the README, or brewput help.
package main

import (
	"github.com/brewput/brewput"
	"github.com/brewput/brewput/catalog"
	// so that an interrupt while the program starts is no other than later ones
	_ "github.com/brewput/brewput/internal/interrupt/early"
)

func main() { brewput.Main(catalog.All()...) }
