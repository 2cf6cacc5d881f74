package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// claim says how much longer than its rivals a design may take.
type claim struct {
	name     string
	workload string
	// designs are ours, of which the best counts in each cell. rivals are the others, of which the best counts too.
	designs, rivals []string
	levels          map[string]string // of the factors that all cells have
	cells           []map[string]string
	limits          []limit
	blocks          int  // of each cell; 0 for defaultBlocks
	syncs           bool // the rivals wait for the device: the claim holds where a sync takes minSync or more
}

// limit is the largest ratio of the wall times, ours / rival, and the share of the cells that must keep it.
type limit struct{ ratio, share float64 }

// minSync is the shortest time of a sync, in seconds, for which claims about syncs are made. A device that takes less
// has a cache that it does not write through.
const minSync = 200e-6

// cell is one comparison of a claim.
type cell struct {
	claim  *claim
	levels map[string]string
}

// String names the cell by the claim and the levels that differ between its cells.
func (c cell) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(c.levels)) {
		if _, common := c.claim.levels[name]; !common {
			parts = append(parts, name+" "+c.levels[name])
		}
	}
	return strings.TrimSpace(c.claim.name + " " + strings.Join(parts, ", "))
}

// ownBlocks returns how many blocks a cell of the claim has if the user names no number.
func (c *claim) ownBlocks() int { return cmp.Or(c.blocks, defaultBlocks) }

// cellsOf returns the comparisons of claims.
func cellsOf(claims []claim) []cell {
	var out []cell
	for i := range claims {
		c := &claims[i]
		if len(c.cells) == 0 {
			out = append(out, cell{c, c.levels})
		}
		for _, own := range c.cells {
			levels := maps.Clone(c.levels)
			if levels == nil {
				levels = map[string]string{}
			}
			maps.Copy(levels, own)
			out = append(out, cell{c, levels})
		}
	}
	return out
}

// allClaims are what the catalogue says of its designs, and of those of other projects.
func allClaims() []claim {
	return []claim{
		{name: "set", workload: "set", designs: []string{"table", "sharded"},
			rivals: []string{"xsync", "golang-set"},
			levels: map[string]string{"calls": "1000000"},
			cells: grid("read", "0 0.5 0.9 0.99 1", "skew", "uniform zipf", "keys", "100 1000000", "goroutines",
				"1 2 16"),
			limits: []limit{{1.2, 0.9}, {1.5, 1}}},
		{name: "merge", workload: "merge", designs: []string{"swapped"}, rivals: []string{"original"},
			limits: []limit{{0.5, 1}}},
		{name: "actor", workload: "identity", designs: []string{"draining"}, rivals: []string{"actor"},
			levels: map[string]string{"callers": "16"}, limits: []limit{{0.3, 1}}},
		{name: "protoactor", workload: "identity", designs: []string{"draining", "actor"},
			rivals: []string{"protoactor"}, levels: map[string]string{"callers": "16"}},
		{name: "combining", workload: "identity", designs: []string{"combining"}, rivals: []string{"sequence"},
			levels: map[string]string{"callers": "16"}, limits: []limit{{4, 1}}},
		{name: "group commit", workload: "journal", designs: []string{"group"}, rivals: []string{"file-sync"},
			levels: map[string]string{"callers": "256", "appends": "2560"}, limits: []limit{{1.0 / 50, 1}},
			syncs: true},
		{name: "pebble", workload: "journal", designs: []string{"group"}, rivals: []string{"pebble"},
			cells:  []map[string]string{{"callers": "256", "appends": "25600"}},
			limits: []limit{{1 / 0.95, 1}}},
		{name: "pebble at one caller", workload: "journal", designs: []string{"group"},
			rivals: []string{"pebble"}, cells: []map[string]string{{"callers": "1", "appends": "1000"}},
			limits: []limit{{1 / 0.9, 1}}},
		{name: "survives kill", workload: "journal", designs: []string{"mapped"}, rivals: []string{"file"},
			// Time begins with a segment of 77,000 entries in place, so most entries are after it.
			levels: map[string]string{"appends": "400000"}, limits: []limit{{1.0 / 8, 1}},
			blocks: 20}, // trials of 70 ms, of which one can take 1.5 times as long as another
	}
}

// parts returns the claim, or one for each of its designs if it has no limits.
func (c *claim) parts() []claim {
	if len(c.limits) > 0 {
		return []claim{*c}
	}
	var out []claim
	for _, design := range c.designs {
		one := *c
		one.designs = []string{design}
		out = append(out, one)
	}
	return out
}

// grid returns all combinations of levels, which are given as names of factors, each with its levels.
func grid(words ...string) []map[string]string {
	out := []map[string]string{{}}
	for i := 0; i+1 < len(words); i += 2 {
		var next []map[string]string
		for _, m := range out {
			for _, level := range strings.Fields(words[i+1]) {
				n := maps.Clone(m)
				n[words[i]] = level
				next = append(next, n)
			}
		}
		out = next
	}
	return out
}
