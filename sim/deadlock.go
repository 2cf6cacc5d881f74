package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Deadlock is the error of a kernel in which no goroutine can ever run again.
type Deadlock struct {
	At      int64  // virtual time in nanoseconds at which the last goroutine parked or ended
	Waiting string // the goroutines and what they wait for, as from [Kernel.Waiting]
}

// Error implements error.
func (d *Deadlock) Error() string {
	return fmt.Sprintf("deadlock at %v: %s", duration(d.At), d.Waiting)
}

// waiting is a goroutine that has not ended, and what it waits for.
type waiting struct{ goroutine, reason string }

// describe lists goroutines and what they wait for: each one if there are few, otherwise the groups of one name that
// wait for the same, the largest first. The text is never longer than a few hundred characters.
func describe(all []waiting) string {
	const few, most = 8, 6
	var list []string
	if len(all) <= few {
		for _, w := range all {
			list = append(list, shortened(w.goroutine)+" "+shortened(w.reason))
		}
		return strings.Join(list, "; ")
	}
	groups := grouped(all)
	for i, g := range groups {
		if i == most {
			rest := 0
			for _, g := range groups[most:] {
				rest += g.n
			}
			list = append(list, fmt.Sprintf("and %d more", rest))
			break
		}
		name, number := shortened(g.goroutine), ""
		if g.n > 1 {
			number = fmt.Sprintf(" (%d)", g.n)
		}
		list = append(list, name+number+" "+shortened(g.reason))
	}
	return strings.Join(list, "; ")
}

// group is n goroutines of one name that wait for the same.
type group struct {
	waiting
	n int
}

// grouped groups goroutines that were started under one name and wait for the same. The largest group comes first;
// groups of one size are in the order in which their first goroutines were started.
func grouped(all []waiting) []*group {
	var groups []*group
	index := map[waiting]*group{}
	for _, w := range all {
		name, number, _ := strings.Cut(w.goroutine, "#")
		w.goroutine = name
		if g := index[w]; g != nil {
			g.n++
			continue
		}
		if number != "" { // a group of one keeps the whole name
			name += "#" + number
		}
		g := &group{waiting{name, w.reason}, 1}
		index[w] = g
		groups = append(groups, g)
	}
	slices.SortStableFunc(groups, func(a, b *group) int { return cmp.Compare(b.n, a.n) })
	for _, g := range groups {
		if g.n > 1 {
			g.goroutine, _, _ = strings.Cut(g.goroutine, "#")
		}
	}
	return groups
}

// shortened truncates a text so that a line has room for several.
func shortened(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}

// deadlock returns the error of a deadlock. It dates from the last time that a goroutine parked or ended, because a
// [Kernel.Watch] may have advanced the clock since.
func (k *Kernel) deadlock() error { return &Deadlock{k.lastParked, k.Waiting()} }

// Waiting describes the goroutines that have not ended and what they wait for, in a few hundred characters.
func (k *Kernel) Waiting() string {
	var all []waiting
	for g := k.first; g != nil; g = g.next {
		all = append(all, waiting{g.runner.Name(), g.waitsFor()})
	}
	return describe(all)
}

// waitsFor describes what g waits for.
func (g *G) waitsFor() string {
	if !g.parked {
		return "can run"
	}
	on, held := "", ""
	switch o := g.on.(type) {
	case *Chan:
		on = named("channel", o.Name)
	case *Mutex:
		on, held = named("lock", o.Name), o.heldFrom(g)
	case *RWMutex:
		on, held = named("lock", o.Name), o.heldFrom(g)
	case *Cond:
		on = named("condition", o.Name)
	}
	switch g.code {
	case Sleep:
		return "sleeps"
	case Syscall:
		return "is in a system call"
	case Send:
		return "sends to " + on
	case Recv:
		return "receives from " + on
	case Lock, WriteLock:
		return "waits for " + on + held
	case ReadLock:
		return "waits to read " + on + held
	case CondWait:
		return "waits for " + on
	case GroupWait:
		return "waits for a group"
	case Select:
		return "selects among " + g.selecting()
	}
	return "waits"
}

// heldFrom names the holder of m, for a message about g, which waits for it; "" if m is free.
func (m *Mutex) heldFrom(g *G) string {
	switch {
	case !m.locked:
		return ""
	case m.holder.serial != m.serial:
		return " (held by a goroutine that has ended)"
	case m.holder == g:
		return " (held by itself)"
	}
	return " (held by " + m.holder.Name() + ")"
}

// heldFrom names the holder of m. Readers are only counted, so they have no names.
func (m *RWMutex) heldFrom(g *G) string {
	switch {
	case g.code == ReadLock && m.departing > 0: // an announced writer goes first
		return strings.Replace(m.w.heldFrom(g), "held by", "behind", 1)
	case g.code == ReadLock:
		return m.w.heldFrom(g)
	case m.departing == 1:
		return " (held by a reader)"
	}
	return fmt.Sprintf(" (held by %d readers)", m.departing)
}

// selecting lists the cases of the select in which g waits.
func (g *G) selecting() string {
	var list []string
	for i := range g.cases {
		if s := &g.cases[i]; s.c != nil {
			what := "a receive from "
			if s.send {
				what = "a send to "
			}
			list = append(list, what+named("channel", s.c.Name))
		}
	}
	if list == nil {
		return "nothing"
	}
	return strings.Join(list, ", ")
}

// named returns the name, or the kind of an object without one.
func named(kind, name string) string {
	if name == "" {
		return "a " + kind
	}
	return name
}
