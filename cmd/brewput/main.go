// Brewput is a performance laboratory for concurrent Go. See the README, or brewput help.
package main

import (
	"github.com/brewput/brewput"
	"github.com/brewput/brewput/catalog"
)

func main() { brewput.Main(catalog.All()...) }
