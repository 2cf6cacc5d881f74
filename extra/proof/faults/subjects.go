package main

import (
	"fmt"
	"slices"

	"github.com/brewput/brewput/extra/messenger"
	"github.com/brewput/brewput/extra/peers"
	"github.com/brewput/brewput/workload"
)

// subject is a workload whose servers are killed.
type subject struct {
	workload *workload.Workload
	cells    []cell
	about    string   // the name of the variants of a design
	columns  []string // metrics to print
	least    []least
	sound    func(metrics map[string]float64) (problem string) // may be nil
	nothing  string                                            // the result of a trial whose check found nothing wrong
}

// cell is a trial.
type cell struct {
	Design   string `json:"design"`
	Variant  string `json:"variant"`
	Settings string `json:"settings"` // FACTOR=LEVEL, separated by spaces
}

// least is the smallest value that a metric must have.
type least struct {
	name string
	n    int
}

// inFlight is the most messages of a client that may be on their way.
const inFlight = 8

// messages kills the server of each design of messenger, for each way of delivery, and resets all connections as often.
func messages(kills int) subject {
	s := subject{workload: messenger.Workload(), about: "delivery",
		columns: []string{"crashes", "resets", "connects", "acknowledged", "unknown", "not_sent", "stored"},
		least:   []least{{"crashes", kills}, {"resets", kills}, {"acknowledged", 1}},
		sound: func(m map[string]float64) string {
			switch {
			case m["not_sent"] != 0:
				return "messages were given up although the server starts again"
			case m["unknown"] > inFlight*m["connects"]:
				return fmt.Sprintf("more than %d messages are unknown for each connection", inFlight)
			}
			return ""
		},
		nothing: "each in one state, none stored twice"}
	for _, d := range s.workload.Designs {
		each := 50 // messages of a client between two faults
		if slices.Contains(d.Uses, "buffer") {
			each = 200 // others are in flight
		}
		for _, way := range []string{"at-most-once network=tcp", "at-least-once network=unix"} {
			var delivery string
			fmt.Sscan(way, &delivery)
			// Clients may finish before the last two faults.
			faults := 2*kills + 2
			settings := fmt.Sprintf("clients=3 messages=%d buffer=%d window=%[2]d faults=%d delivery=%s",
				each*(faults+1), inFlight, faults, way)
			s.cells = append(s.cells, cell{d.Name, delivery, settings})
		}
	}
	return s
}

// identities kills and partitions three servers of each protocol.
func identities(faults int) subject {
	s := subject{workload: peers.Workload(), about: "servers",
		columns: []string{"faults", "crashes", "partitions", "issued", "received"},
		least:   []least{{"faults", faults}, {"crashes", max(1, faults/5)}, {"partitions", max(1, faults/6)}},
		nothing: "nothing issued twice"}
	for _, d := range s.workload.Designs {
		s.cells = append(s.cells, cell{d.Name, "3", fmt.Sprintf("peers=3 clients=4 identities=50 faults=%d "+
			"latency=100us lease=20", faults)})
	}
	return s
}
