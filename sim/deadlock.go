package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Deadlock is the error of a kernel whose goroutines all wait for good.
type Deadlock struct {
	At      int64 // ns
	Waiting []Waiting
}

// Waiting is a goroutine that has not ended and what it waits for.
type Waiting struct{ Goroutine, For string }

func (d *Deadlock) Error() string {
	return fmt.Sprintf("deadlock at %v: %s", duration(d.At), Describe(d.Waiting))
}

// Describe lists who waits for what: each where they are few, and else the groups of one name that wait for the same,
// the largest first. It is never longer than a few hundred characters.
func Describe(all []Waiting) string {
	const few, most = 8, 6
	var list []string
	if len(all) <= few {
		for _, w := range all {
			list = append(list, shortened(w.Goroutine)+" "+shortened(w.For))
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
		name, number := shortened(g.Goroutine), ""
		if g.n > 1 {
			number = fmt.Sprintf(" (%d)", g.n)
		}
		list = append(list, name+number+" "+shortened(g.For))
	}
	return strings.Join(list, "; ")
}

// group is so many goroutines that wait for the same.
type group struct {
	Waiting
	n int
}

// grouped puts goroutines together that were started under one name and wait for the same, the largest group first, and
// of equals that whose first was started first.
func grouped(all []Waiting) []*group {
	var groups []*group
	index := map[Waiting]*group{}
	for _, w := range all {
		name, number, _ := strings.Cut(w.Goroutine, "#")
		w.Goroutine = name
		if g := index[w]; g != nil {
			g.n++
			continue
		}
		if number != "" { // one alone keeps its whole name
			name += "#" + number
		}
		g := &group{Waiting{name, w.For}, 1}
		index[w] = g
		groups = append(groups, g)
	}
	slices.SortStableFunc(groups, func(a, b *group) int { return cmp.Compare(b.n, a.n) })
	for _, g := range groups {
		if g.n > 1 {
			g.Goroutine, _, _ = strings.Cut(g.Goroutine, "#")
		}
	}
	return groups
}

// shortened is a text of a line that has room for several.
func shortened(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}

// deadlock is since the last goroutine parked or ended: who watches may have looked later.
func (k *Kernel) deadlock() error { return &Deadlock{k.lived, k.Waiting()} }

// Waiting lists the goroutines that have not ended, in the order of their start.
func (k *Kernel) Waiting() []Waiting {
	var all []Waiting
	for g := k.first; g != nil; g = g.next {
		all = append(all, Waiting{g.runner.Name(), g.waitsFor()})
	}
	return all
}

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

// heldFrom says who keeps g from having m; "" if nobody does.
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

// heldFrom is that of a lock with readers, who are only counted.
func (m *RWMutex) heldFrom(g *G) string {
	switch {
	case g.code == ReadLock && m.departing > 0: // whoever has announced itself goes first
		return strings.Replace(m.w.heldFrom(g), "held by", "behind", 1)
	case g.code == ReadLock:
		return m.w.heldFrom(g)
	case m.departing == 1:
		return " (held by a reader)"
	}
	return fmt.Sprintf(" (held by %d readers)", m.departing)
}

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

func named(kind, name string) string {
	if name == "" {
		return "a " + kind
	}
	return name
}
