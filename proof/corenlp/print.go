package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/decimal"
	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
)

// order returns the cells in the random order of a block.
func order(cells []cell, block int) []cell {
	cells = slices.Clone(cells)
	rand.New(rand.NewPCG(uint64(block), 1)).Shuffle(len(cells), func(i, j int) {
		cells[i], cells[j] = cells[j], cells[i]
	})
	return cells
}

// curve has the medians of the cells that differ only in the number of clients.
type curve struct {
	of         cell // without clients
	clients    []int
	throughput []float64 // per second
	mean       []float64 // mean response time in seconds
	server     []float64 // CPU time of the server for a reply in seconds
	trials     int       // of the cell with the fewest
}

// curves returns the curves of the entries without wrong answers.
func (c *campaign) curves(entries []entry) (list []curve) {
	for _, x := range c.cells() {
		of := x
		of.Clients = 0
		if len(list) == 0 || list[len(list)-1].of != of {
			list = append(list, curve{of: of})
		}

		var throughput, mean, server []float64
		for _, e := range entries {
			if e.Cell == x && e.Status == result.OK {
				throughput = append(throughput, float64(e.Throughput))
				mean = append(mean, float64(e.Mean))
				server = append(server, float64(e.Server))
			}
		}
		k := &list[len(list)-1]
		if len(throughput) == 0 {
			continue
		}
		if k.trials == 0 || len(throughput) < k.trials {
			k.trials = len(throughput)
		}
		k.clients = append(k.clients, x.Clients)
		k.throughput = append(k.throughput, stat.Median(throughput))
		k.mean = append(k.mean, stat.Median(mean))
		k.server = append(k.server, stat.Median(server))
	}
	return slices.DeleteFunc(list, func(k curve) bool { return len(k.clients) == 0 })
}

// knee returns the smallest number of clients whose throughput is about the largest: more clients only wait. saturation
// is the number at which the asymptotes of throughput meet: largest throughput x response time of one client (Denning
// and Buzen 1978); 0 if one client was not measured.
func (k *curve) knee() (clients int, saturation float64) {
	best := slices.Max(k.throughput)
	at := slices.IndexFunc(k.throughput, func(x float64) bool { return x*(1+compare.KneeMargin) >= best })
	if k.clients[0] == 1 {
		saturation = best * k.mean[0]
	}
	return k.clients[at], saturation
}

// print writes a row for each curve, and the wrong parses. It returns the number of trials whose outcome is not the one
// of their design.
func (c *campaign) print(entries []entry) (wrong int) {
	w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "annotators\twords\theap\tclients\tparses/s\tresponse, ms\tserver CPU, ms\t"+
		"knee\tsaturation\ttrials")
	for _, k := range c.curves(entries) {
		clients, saturation := k.knee()
		numbers := make([]string, len(k.clients))
		for i, n := range k.clients {
			numbers[i] = strconv.Itoa(n)
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%d clients\t%s\t%d\n", k.of.Annotators, k.of.Length, k.of.Heap,
			strings.Join(numbers, " "), figures(k.throughput, 1), figures(k.mean, 1000), figures(k.server, 1000),
			clients, known(saturation), k.trials)
	}
	w.Flush()

	noticed, checked := 0, 0
	for _, e := range entries {
		switch {
		case e.Cell.Design == "swapped" && e.Status == result.Wrong:
			noticed++
		case e.Cell.Design == "swapped":
			wrong++
			fmt.Fprintf(c.stdout, "\nblock %d: a swapped annotator was not noticed\n", e.Block)
		case e.Status != result.OK:
			wrong++
			fmt.Fprintf(c.stdout, "\n%+v, block %d: %s %s\n", e.Cell, e.Block, e.Status, e.Error)
		default:
			checked++
		}
	}
	fmt.Fprintf(c.stdout, "\nEvery parse was right in %d trials. A swapped annotator was noticed in %d trials.\n",
		checked, noticed)
	return wrong
}

// known formats a saturation. An unknown one is a dash.
func known(saturation float64) string {
	if saturation == 0 {
		return "-"
	}
	return decimal.Digits(saturation, 2)
}

// figures lists numbers times a factor.
func figures(numbers []float64, factor float64) string {
	var list []string
	for _, x := range numbers {
		list = append(list, decimal.Digits(x*factor, 3))
	}
	return strings.Join(list, " ")
}
