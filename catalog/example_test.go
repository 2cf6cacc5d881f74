package catalog_test

import (
	"fmt"

	"github.com/brewput/brewput/catalog"
)

// The built-in workloads.
func ExampleAll() {
	for _, w := range catalog.All() {
		fmt.Println(w.Name)
	}
	// Output:
	// coffee
	// words
	// mandelbrot
	// sum
	// sort
	// find
	// lines
	// parse
	// merge
	// identity
	// peers
	// messenger
	// set
	// journal
	// null
	// http
	// grpc
	// corenlp
}
