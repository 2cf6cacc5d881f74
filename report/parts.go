package report

import "slices"

// Part is an optional part of a page.
type Part struct {
	Name, About string
}

// Parts returns the optional parts of the pages of all verbs. A page without a part ignores its name.
func Parts() []Part { return optionalParts }

var optionalParts = []Part{
	{"plots", "plots against CPUs or another factor"},
	{"latency", "box plots of the latency"},
	{"resources", "the busiest resource of each row"},
	{"all-resources", "all resources of each row"},
	{"cpu", "where the CPU time went"},
	{"formulas", "closed forms next to the measurements"},
	{"predictions", "predictions that are off"},
	{"evidence", "explain: the evidence for each finding, and all runs and profiles"},
	{"overhead", "explain: how much each kind of evidence slowed the program down"},
	{"serial", "speed-up over one CPU, and the serial share"},
	{"knees", "levels that are nearly as fast as the best"},
	{"counters", "system calls and allocations of jobs"},
	{"metrics", "metrics that the designs of jobs measure themselves"},
	{"views", "latency at the server and at the client"},
	{"states", "steady states of simulated loads"},
	{"checksum", "checksum of the simulated scheduler's decisions"},
	{"verdicts", "verdicts in full, with the smallest difference that the blocks can detect"},
	{"warnings", "warnings and errors in full"},
	{"scaling", "benchmarks: what limits the scaling of each"},
	{"undecided", "benchmarks: how many more blocks would decide each undecided comparison"},
	{"equivalent", "benchmarks: tables and rows in which nothing differs"},
}

// PartNames returns the names of all optional parts.
func PartNames() []string {
	var names []string
	for _, p := range optionalParts {
		names = append(names, p.Name)
	}
	return names
}

// UnknownPart returns the first of the names that is not a part; "" if all are.
func UnknownPart(names []string) string {
	for _, name := range names {
		if !slices.Contains(PartNames(), name) {
			return name
		}
	}
	return ""
}
