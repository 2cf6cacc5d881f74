//go:build linux

package main

import (
	"slices"
	"strings"
)

// value is a value of a flag. Accepting a wrong one is a find.
type value struct {
	text  string
	wrong bool
}

// good and bad make values that may be accepted, and values that must be refused.
func good(texts ...string) (list []value) {
	for _, t := range texts {
		list = append(list, value{text: t})
	}
	return list
}

func bad(texts ...string) (list []value) {
	for _, t := range texts {
		list = append(list, value{t, true})
	}
	return list
}

// huge is too long for any name or number.
const huge = "99999999999999999999999999999999999999999999999999999999999999999999999999999999" +
	"9999999999999999999999999999999999999999999999999999999999999999999999999999"

// invalid are no numbers, times or names.
var invalid = []string{"010", "0x2", "1_0", "1e308", "NaN", "Inf", "-1", "", " ", "huge", "99999999999999999999", "٣",
	"½", "\x1b[31m", "a\nb", "\xff", "1 2", "1,,2", "..", "1..", "..2", "2..1", "1..2:x1", "1..2:+0",
	"=1", "%s", "$(id)", "'", "\u202e"}

// values returns usual and odd values of a flag, by its placeholder in the help. Paths are those that furnish makes. A
// flag without a value has none.
func values(kind, flag string) (usual, odd []value) {
	files := good("out", "out.json", "out.svg", "text.txt", "live", "missing/x", "missing")
	notFiles := good("fifo", "zero", "dir", "", strings.Repeat("x", 5000), "live/journal.ndjson", "a\nb", "new.txt/x",
		"\x1b[31m", "\xff")
	switch {
	case flag == "format":
		return good("table", "json", "csv", "bench", "md"), bad("xml", "010", "TABLE", huge)
	case flag == "output" || kind == "DIR" || kind == "FILE":
		return files, notFiles
	case kind == "int" || kind == "uint" || kind == "N" || kind == "K":
		return good("1", "2", "3", "5"),
			slices.Concat(good("0", "1000000000", "9223372036854775807"), bad(invalid...),
				bad(huge, "1.5", "1s", "99999999999999999999"))
	case kind == "TIME":
		return good("1ms", "10ms", "1s", "1.5ms", ".5ms"),
			slices.Concat(good("0s", "1ns", "2562047h"), bad(invalid...),
				bad(huge, "-1ms", "1", "1e3ms", "9999999999h"))
	case kind == "SHARE" || kind == "PERCENT":
		return good("1%", "50%", "5%"), bad("010", "0x2", "NaN", "NaN%", "Inf%", "-1%", "", "1e308%", huge, "%")
	case kind == "NAMES" || kind == "DESIGN" || kind == "NAME":
		return good("locking", "locking,finelocking", "stream", "stream,job"),
			bad("lockin", ",", "010", huge, "\x1b]0;x\a", "locking;job")
	case kind == "PAIRS":
		return good("neighbours", "all"), bad("some", "010", huge)
	case kind == "COSTS":
		return good("none", "wake=60us", "chan=200ns,lock=1ns"),
			bad("burn=1%", "wake=-1us", "wake=NaN", "wake=1e308s", "wake", "=", "x=1us", "wake=010us", huge)
	case flag == "cpus" || flag == "workers" || flag == "machines" || flag == "pipes":
		return good("1", "1,2", "1..2", "2"),
			slices.Concat(good("1000000", "1..1000000000"), bad(invalid...), bad(huge, "1e9", "0", "1.5"))
	case kind == "LEVELS":
		return good("1", "1,2", "1..2", "1ms", "100us", "0.5", "100", "fixed", "exponential"),
			slices.Concat(good(invalid...), good(huge, "1..1000000000", "1000000", "1e9"))
	case kind == "":
		return nil, nil
	}
	return good("x", "HEAD", ".", "GOGC=100,50", "Brew", "off"), slices.Concat(good(invalid...), good(huge))
}
