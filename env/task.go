package env

import (
	"strconv"
	"sync"
	"time"
)

// Task is a goroutine of a world, as its scheduler sees it.
type Task struct {
	world   World
	machine Machine // the world if it implements Machine, otherwise nil
	epoch   time.Time
	name    string
	ordinal int
	body    func(Env)
	start   func() // t.run, created once, so that a go statement needs no closure
	kept    any    // see Keep
	uses    uint64 // written by every operation of the owner if the race detector is enabled; see own
}

// NewTask creates a goroutine of world w. The world starts it by go t.Start()(), or runs t.Start()() on a stack of
// its own.
func NewTask(w World, name string, body func(Env)) *Task {
	t := &Task{}
	t.start = t.run
	m, _ := w.(Machine)
	t.set(w, m, w.Epoch(), name, body)
	return t
}

// set initializes a task.
func (t *Task) set(w World, m Machine, epoch time.Time, name string, body func(Env)) {
	t.world, t.machine, t.epoch, t.name, t.body = w, m, epoch, name, body
	t.ordinal = w.Ordinal(t)
}

// Start returns the function that runs the task.
func (t *Task) Start() func() { return t.start }

// run runs the task.
func (t *Task) run() {
	defer t.world.Exit(t)
	t.body(Env{t})
}

// Name returns the unique name of the goroutine.
func (t *Task) Name() string { return Numbered(t.name, t.ordinal) }

// BaseName returns the name that the design gave, which all goroutines started under it share.
func (t *Task) BaseName() string { return t.name }

// Keep stores a value of the world with the task, which saves a search when the goroutine ends. The value survives
// [Recycle]. A world must check that the value is its own and belongs to the task's present name.
func (t *Task) Keep(v any) { t.kept = v }

// Kept returns the value stored by Keep, or nil.
func (t *Task) Kept() any { return t.kept }

// Numbered returns the unique name of the n-th goroutine or resource of a name: "grinder", "grinder#2".
func Numbered(name string, n int) string {
	if n <= 1 {
		return name
	}
	return name + "#" + strconv.Itoa(n)
}

// tasks recycles finished tasks of the live world, so that starting a goroutine allocates no Task. With the race
// detector every goroutine gets a new one, so that reuse does not hide a stale Env.
var tasks = sync.Pool{New: func() any {
	t := &Task{}
	t.start = t.run
	return t
}}

// Recycle releases a finished task. The world calls it when no Env of the task can be used any more.
func Recycle(t *Task) {
	if raceEnabled {
		return
	}
	t.world, t.machine, t.body = nil, nil, nil
	tasks.Put(t)
}

// spareTask returns an unused task. A machine keeps its own tasks, because an Env that outlives its goroutine must
// never lead into another world.
func (t *Task) spareTask() *Task {
	if t.machine != nil && !raceEnabled {
		if t := t.machine.SpareTask(); t != nil {
			return t
		}
	}
	return tasks.Get().(*Task)
}
