package sim

import "math/bits"

// draws is a stream of random numbers: the n-th is a function of n and of the key that the stream begins with alone.
type draws struct{ key uint64 }

const golden = 0x9e3779b97f4a7c15

// mix is the finalizer of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
// generators, OOPSLA 2014), a bijection of 64 bits.
func mix(z uint64) uint64 {
	z += golden
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (d *draws) next() uint64 {
	d.key += golden
	return mix(d.key)
}

// below is uniform in [0, n), n > 0, but for a bias of at most n/2^64.
func (d *draws) below(n uint64) uint64 {
	hi, _ := bits.Mul64(d.next(), n)
	return hi
}

// Cost is how long something takes, in nanoseconds: always the same, or drawn from a distribution.
// The zero Cost is no time at all.
type Cost struct {
	fixed     int64
	quantiles []int64
	at        []int64 // of each quantile the probability in millionths; nil if they are evenly spaced
}

// Ns is a cost that is always n nanoseconds; a negative n counts as 0.
func Ns(n int64) Cost { return Cost{fixed: max(0, n)} }

// Quantiles is the distribution whose quantile function is the line through q, the first at
// probability 0 and the last at 1, evenly spaced; q ascends and is not negative. One value is a fixed cost.
func Quantiles(q ...int64) Cost {
	for i, v := range q {
		if v < 0 || i > 0 && v < q[i-1] {
			panic("sim: quantiles of a cost must ascend from 0 or more")
		}
	}
	switch len(q) {
	case 0:
		return Cost{}
	case 1:
		return Ns(q[0])
	}
	return Cost{quantiles: append([]int64(nil), q...)}
}

// charge reports whether any operation costs time.
func (c *Costs) charge() bool {
	return !(c.Spawn.none() && c.Chan.none() && c.Lock.none() && c.Timer.none() && c.Syscall.none() && c.Waker.none())
}

// scatter reports whether burns take other than what they say.
func (c *Costs) scatter() bool { return !c.Burn.none() || c.outliers() }

// outliers reports whether some burns are outliers.
func (c *Costs) outliers() bool { return c.OutlierEvery > 0 && !c.Outlier.none() }

// none reports whether the cost is always 0.
func (c *Cost) none() bool { return c.fixed == 0 && c.quantiles == nil }

// draw is one such time. A fixed cost draws nothing.
func (c *Cost) draw(d *draws) int64 {
	if c.quantiles == nil {
		return c.fixed
	}
	x := d.next()
	if c.at != nil {
		return c.quantile(x)
	}
	i, frac := bits.Mul64(x, uint64(len(c.quantiles)-1))
	low, high := c.quantiles[i], c.quantiles[i+1]
	part, _ := bits.Mul64(frac, uint64(high-low))
	return low + int64(part)
}

// Costs are the times that the scheduler and its primitives take. The zero Costs take none, as on a
// machine that is infinitely fast between the pieces of work.
type Costs struct {
	// Wake is from the moment a goroutine could run on a CPU that sleeps to when that CPU looks for
	// work; Deep is the same after the CPU has been idle for DeepAfter ns or more, where that is > 0.
	Wake, WakeDeep Cost
	DeepIdleAfter  int64
	// Rouse is what waking a CPU that sleeps takes of the one that wakes it, at the beginning of Wake: a system call,
	// and an interrupt to another processor, which a virtual machine must leave to its host.
	Waker Cost
	// Spin is the same as Wake on a CPU that looks for work already. A CPU that has found none goes on looking for
	// SpinFor ns before it sleeps; 0 is not at all, and then nothing ever takes Spin.
	Spin    Cost
	SpinFor int64
	// Steal is how long a thief backs off before it takes the run-next of a running CPU: Go asks for 3 us,
	// which the timer slack of Linux makes some 60 us.
	Steal Cost
	// Burn is the share that a [Burn] takes of the time that it says, in millionths. On a real CPU pieces of work that
	// are equal do not take equally long, and goroutines do not stay in step. There is one draw for a burn, however
	// long. The zero Cost is what it says, and so are burns where CPUs are unlimited and those that are [Exact]. Give
	// shares of a hundredth to a hundred, as ParseCosts reads no others.
	Burn Cost
	// Outlier is the share that one burn in OutlierEvery takes in place of Burn, by chance: one that was interrupted,
	// or whose processor was slow. OutlierEvery of 0 is none.
	Outlier      Cost
	OutlierEvery int64
	Switch       Cost // to another goroutine, on the CPU
	Spawn        Cost // starting a goroutine, for the starter
	Chan         Cost // each operation on a channel, and each select
	Lock         Cost // each operation on a lock, group or condition
	Timer        Cost // starting a timer, for who starts it
	// PollGrain is the unit of ns in which the thread in the network poller sleeps: it asks for whole milliseconds, of
	// less than one for one. 0 is any time.
	PollGrain int64
	Syscall   Cost // entering and leaving a system call, beyond the time in it
	// LockSpin is one of the four rounds in which a goroutine spins for a Mutex before it parks. Without
	// it nobody spins: rounds that take no time could not see the lock change.
	LockSpin Cost
}
