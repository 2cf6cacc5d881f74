package words

import "fmt"

// Rule says which runs of bytes are words. Both have the six separators of the C locale: space, \t, \n, \v, \f, \r.
type rule bool

const (
	// anyRun: every longest run of bytes that are no separators is a word. So counts wc since coreutils 9.5.
	anyRun rule = false
	// printing: such a run is a word if it has a byte that prints in the C locale, ! to ~. So counted wc before, in
	// that locale.
	printing rule = true
)

// The names of the rules, as levels of the factor and in answers; asWC is the rule of the wc that is here.
const (
	asWC          = "wc"
	printableName = "printable"
	spaceName     = "space"
)

func (r rule) String() string {
	if r == printing {
		return printableName
	}
	return spaceName
}

// ruleOf is the rule of that name.
func ruleOf(name string) (rule, error) {
	switch name {
	case printableName:
		return printing, nil
	case spaceName:
		return anyRun, nil
	}
	return anyRun, fmt.Errorf("there is no rule %q", name)
}

// The classes of a byte.
const (
	separator = iota // ends a word
	letter           // makes a word of its run
	other            // does neither: it belongs to the run that it stands in
)

// class is what a byte is.
func (r rule) class(b byte) int {
	switch {
	case b == ' ' || '\t' <= b && b <= '\r':
		return separator
	case r == anyRun || '!' <= b && b <= '~':
		return letter
	}
	return other
}

// tally counts words in a sequence of bytes that comes in pieces.
type tally struct {
	words  int
	inside bool // the last separator is followed by a letter
}

// step takes the next byte. It is the simplest design, which all others must equal.
func (t *tally) step(class int) {
	switch {
	case class == separator:
		t.inside = false
	case class == letter && !t.inside:
		t.inside = true
		t.words++
	}
}

// scan counts words in p, which follows what was counted before.
type scan func(t tally, p []byte) tally

// simplest is the scan that takes byte by byte.
func (r rule) simplest(t tally, p []byte) tally {
	for _, b := range p {
		t.step(r.class(b))
	}
	return t
}

// piece is what a chunk contributes whatever precedes it: counted as if a separator did, and how that changes where the
// chunk before ends inside a word.
type piece struct {
	tally
	leads bool // its first byte that is not other is a letter: it goes on with a word that reaches up to it
	blank bool // it has others alone: a word that reaches up to it reaches beyond
}

// pieceOf scans a chunk on its own.
func (r rule) pieceOf(count scan, p []byte) piece {
	c := piece{tally: count(tally{}, p), blank: true}
	for _, b := range p {
		if class := r.class(b); class != other {
			c.leads, c.blank = class == letter, false
			break
		}
	}
	return c
}

// join counts what follows t.
func (t tally) join(c piece) tally {
	words, inside := t.words+c.words, c.inside
	if t.inside && c.leads {
		words--
	}
	if c.blank {
		inside = t.inside
	}
	return tally{words, inside}
}
