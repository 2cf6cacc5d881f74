package main

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"time"
)

// model is a number of requests of M/M/1 or, with processes, of their sleeps.
type model struct {
	processes int
	number    int
}

func (m model) name() string {
	if m.processes > 0 {
		return "sleep"
	}
	return "mm1"
}

// peers are the other simulators, in processes of their own.
type peers struct {
	python, rust string // paths; rust may be empty
	versions     []string
}

// run runs another simulator, which times itself. It prints its version, that of its language, the seconds of the
// simulation, the number of requests, and their mean time.
func (p *peers) run(name string, m model, seed uint64) (o outcome, err error) {
	command := []string{p.rust, name}
	if name == "SimPy" {
		command = []string{p.python, "-c", program}
	}
	command = append(command, m.name(), strconv.Itoa(m.processes), strconv.Itoa(m.number), strconv.FormatUint(seed, 10))
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return o, fmt.Errorf("%s: %w", name, err)
	}
	var version, language string
	var seconds float64
	if _, err := fmt.Sscan(string(out), &version, &language, &seconds, &o.served, &o.mean); err != nil {
		return o, fmt.Errorf("%s printed %q: %w", name, out, err)
	}
	o.took = time.Duration(seconds * float64(time.Second))
	p.know(fmt.Sprintf("%s %s (%s)", name, version, language))
	return o, nil
}

// know keeps the versions in the order of their first appearance.
func (p *peers) know(version string) {
	for _, v := range p.versions {
		if v == version {
			return
		}
	}
	p.versions = append(p.versions, version)
}

// engines returns the other simulators for a model, SimPy first.
func (p *peers) engines(m model) []engine {
	of := func(name string) engine {
		return engine{name, func(seed uint64) (outcome, error) { return p.run(name, m, seed) }, 0}
	}
	all := []engine{of("SimPy")}
	if p.rust != "" {
		all = append(all, of("desru"), of("nexosim"))
	}
	return append(all, engine{"container/heap in Go", m.byHeap, 0})
}

// event is an event of byHeap.
type event struct {
	at   float64
	what int
}

type agenda []event

func (a agenda) Len() int           { return len(a) }
func (a agenda) Less(i, j int) bool { return a[i].at < a[j].at }
func (a agenda) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }
func (a *agenda) Push(e any)        { *a = append(*a, e.(event)) }
func (a *agenda) Pop() any {
	last := len(*a) - 1
	e := (*a)[last]
	*a = (*a)[:last]
	return e
}

// byHeap is the usual loop over a container/heap of events.
func (m model) byHeap(seed uint64) (o outcome, err error) {
	const comes, leaves = 0, 1
	began, r, total := time.Now(), rand.New(rand.NewPCG(seed, 0)), 0.0
	var a agenda
	var line []float64
	left := m.number
	sleeps := func(now float64) {
		if left--; left < 0 {
			return
		}
		d := r.ExpFloat64()
		total += d
		o.served++
		heap.Push(&a, event{at: now + d})
	}
	for range m.processes {
		sleeps(0)
	}
	if m.processes == 0 {
		heap.Push(&a, event{at: r.ExpFloat64() / load, what: comes})
	}
	for len(a) > 0 {
		e := heap.Pop(&a).(event)
		switch {
		case m.processes > 0:
			sleeps(e.at)
		case e.what == comes:
			if line = append(line, e.at); len(line) == 1 {
				heap.Push(&a, event{at: e.at + r.ExpFloat64(), what: leaves})
			}
			if left--; left > 0 {
				heap.Push(&a, event{at: e.at + r.ExpFloat64()/load, what: comes})
			}
		default:
			o.served++
			total += e.at - line[0]
			if line = line[1:]; len(line) > 0 {
				heap.Push(&a, event{at: e.at + r.ExpFloat64(), what: leaves})
			}
		}
	}
	o.took, o.mean = time.Since(began), total/float64(o.served)
	return o, nil
}
