package journal

import (
	"runtime"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newGroup shares a sync among the callers that wait for one (group commit: DeWitt, Katz, Olken, Shapiro, Stonebraker
// and Wood, SIGMOD 1984). The time of a sync limits it. Callers join a batch. The first of a batch is its leader: it
// waits until the previous batch is on the device, and then writes and syncs all entries of its own.
func newGroup(e env.Env, p plan.Point) (workload.Job, error) {
	return newJob(e, p, SurvivesPowerLoss, openGroup)
}

func openGroup(e env.Env, dir string, _ plan.Point) (Log, error) { return openGroupOn(e, disk(dir)) }

func openGroupOn(e env.Env, fs files) (Log, error) {
	s, err := openFrames(fs, "frames")
	if err != nil {
		return nil, err
	}
	g := &group{turn: e.Mutex("sync"), lock: e.Mutex("batch"), frames: s, last: s.last()}
	for i := range g.batches {
		b := &g.batches[i]
		b.lock = e.Mutex("")
		b.over = e.Cond(b.lock)
		b.committed = g.last
	}
	return g, nil
}

// group is a log with group commit.
type group struct {
	turn   *env.Mutex // held by the leader that writes and syncs
	shared bool       // the last batch had several entries; belongs to the leader

	lock    *env.Mutex // protects what follows
	frames  *frames    // the chain includes what callers have added; the ends, what is on the device
	last    uint64     // the index that was given last
	current uint64     // the number of the batch that callers join
	batches [2]batch   // by number modulo 2; the other one is written, or over
	syncs   uint64
	err     error // of the first write or sync that failed
}

// batch is the entries of one sync.
type batch struct {
	frames []byte // that callers have added
	ends   []int  // of each in frames

	lock      *env.Mutex // protects what follows
	over      *env.Cond
	count     uint64 // batches of this slot that are over
	committed uint64 // the last index that is on the device
	err       error  // why later ones are not
}

func (g *group) Append(data []byte) (uint64, error) {
	if err := CheckSize(data); err != nil {
		return 0, err
	}
	g.lock.Lock()
	if g.err != nil {
		defer g.lock.Unlock()
		return 0, g.err
	}
	number := g.current
	b := &g.batches[number%2]
	b.frames = g.frames.chain.add(b.frames, data)
	b.ends = append(b.ends, len(b.frames))
	leads := len(b.ends) == 1
	g.last++
	index := g.last
	g.lock.Unlock()

	if leads {
		g.commit(b)
	}
	b.lock.Lock()
	for b.count <= number/2 {
		b.over.Wait()
	}
	committed, err := b.committed, b.err
	b.lock.Unlock()
	if index > committed {
		return 0, err
	}
	return index, nil
}

// commit waits for the previous batch, and writes and syncs this one.
func (g *group) commit(b *batch) {
	waits := !g.turn.TryLock()
	if waits {
		g.turn.Lock()
	}
	if waits || g.shared {
		runtime.Gosched() // callers of the previous batch, which have just been woken, may join this one
	}
	g.lock.Lock()
	g.current++
	begin, err := g.frames.end(), g.err
	g.lock.Unlock()

	if err == nil {
		if _, err = g.frames.f.WriteAt(b.frames, begin); err == nil {
			err = g.frames.f.sync()
		}
		if err != nil {
			err = Broken(err)
		}
	}

	g.lock.Lock()
	g.err = err
	if err == nil {
		g.syncs++
		for _, end := range b.ends {
			g.frames.ends = append(g.frames.ends, begin+int64(end))
		}
	}
	committed := g.frames.last()
	g.lock.Unlock()

	g.shared = len(b.ends) > 1
	b.frames, b.ends = b.frames[:0], b.ends[:0]
	b.lock.Lock()
	b.count++
	b.committed, b.err = committed, err
	b.over.Broadcast()
	b.lock.Unlock()
	g.turn.Unlock()
}

func (g *group) Get(index uint64) ([]byte, error) {
	g.lock.Lock()
	at, size, err := g.frames.find(index)
	g.lock.Unlock()
	if err != nil {
		return nil, err
	}
	return read(g.frames.f, at, size)
}

// Flush has nothing to do: what is acknowledged is on the device.
func (g *group) Flush() error {
	g.lock.Lock()
	defer g.lock.Unlock()
	return g.err
}

func (g *group) Syncs() uint64 {
	g.lock.Lock()
	defer g.lock.Unlock()
	return g.syncs
}

func (g *group) Close() error { return g.frames.f.Close() }
