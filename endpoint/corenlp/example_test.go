package corenlp_test

import (
	"fmt"

	"github.com/brewput/brewput/endpoint/corenlp"
)

// The stored parse of a question has SBARQ below the root of its tree.
func ExampleSentences() {
	s := corenlp.Sentences()[1]
	fmt.Println(s.Text)
	fmt.Println(s.Tree)
	fmt.Println(s.Parse)
	// Output:
	// What does the barista grind?
	// (ROOT (SBARQ (WHNP (WP What)) (SQ (VBZ does) (NP (DT the) (NN barista)) (VP (VB grind))) (. ?)))
	// ROOT(0,5) obj(5,1) aux(5,2) det(4,3) nsubj(5,4) punct(5,6)
}
