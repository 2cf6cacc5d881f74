package words

import "fmt"

// rule defines which runs of bytes are words. Both rules have the separators of the C locale: space, \t, \n, \v, \f,
// \r.
type rule bool

const (
	// anyRun: every maximal run of bytes that are no separators is a word. This is the rule of wc since coreutils 9.5.
	anyRun rule = false
	// printing: such a run is a word if it has a printable byte of the C locale, ! to ~. This was the rule of wc
	// before, in that locale.
	printing rule = true
)

// The names of the rules, as levels of the factor and in answers. asWC stands for the rule of this machine's wc.
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

// ruleOf returns the rule with that name.
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
	other            // neither: it is part of the run around it
)

// class returns the class of a byte.
func (r rule) class(b byte) int {
	switch {
	case b == ' ' || '\t' <= b && b <= '\r':
		return separator
	case r == anyRun || '!' <= b && b <= '~':
		return letter
	}
	return other
}

// tally is the state of a count over a sequence of bytes.
type tally struct {
	words  int
	inside bool // there was a letter after the last separator
}

// step counts the next byte. It is the reference that all scans must agree with.
func (t *tally) step(class int) {
	switch {
	case class == separator:
		t.inside = false
	case class == letter && !t.inside:
		t.inside = true
		t.words++
	}
}

// scan counts the words of p, which continues the sequence of t.
type scan func(t tally, p []byte) tally

// simplest is the scan that counts byte by byte.
func (r rule) simplest(t tally, p []byte) tally {
	for _, b := range p {
		t.step(r.class(b))
	}
	return t
}

// piece is the count of a chunk as if a separator preceded it, with what is needed to correct that if the chunk before
// ends inside a word. Pieces can therefore be counted in parallel.
type piece struct {
	tally
	leads bool // the first byte that is not other is a letter, which continues a word that reaches the chunk
	blank bool // all bytes are other, so a word that reaches the chunk reaches beyond it
}

// pieceOf scans a chunk.
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

// join appends a piece to t.
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
