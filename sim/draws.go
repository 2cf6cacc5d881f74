package sim

import "math/bits"

// draws is a stream of random numbers. The n-th number is a function of n and the initial key only.
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

// next returns a uniform 64-bit number.
func (d *draws) next() uint64 {
	d.key += golden
	return mix(d.key)
}

// below returns a uniform number in [0, n), n > 0, with a bias of at most n/2^64.
func (d *draws) below(n uint64) uint64 {
	hi, _ := bits.Mul64(d.next(), n)
	return hi
}

// Cost is the duration of something in nanoseconds, either fixed or drawn from a distribution. The zero Cost is no
// time.
type Cost struct {
	fixed     int64
	quantiles []int64
	at        []int64 // probability of each quantile in millionths; nil if they are evenly spaced
}

// Ns returns a fixed cost of n nanoseconds; a negative n counts as 0.
func Ns(n int64) Cost { return Cost{fixed: max(0, n)} }

// Quantiles returns a cost that is drawn from a piecewise linear quantile function through q. The values are evenly
// spaced in probability, the first at 0 and the last at 1. They must ascend from 0 or more, or Quantiles panics. One
// value is a fixed cost.
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

// scatter reports whether burns may differ from their nominal time.
func (c *Costs) scatter() bool { return !c.Burn.none() || c.outliers() }

// outliers reports whether some burns are outliers.
func (c *Costs) outliers() bool { return c.OutlierEvery > 0 && !c.Outlier.none() }

// none reports whether the cost is always 0.
func (c *Cost) none() bool { return c.fixed == 0 && c.quantiles == nil }

// draw returns one duration. A fixed cost uses no random number.
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

// Costs are the times that the scheduler and its primitives take. The zero Costs take none: the machine is infinitely
// fast except for burns.
type Costs struct {
	// Wake is the wake-up latency: from the moment a goroutine could run on a sleeping CPU until that CPU looks for
	// work. WakeDeep replaces it if the CPU has been idle for at least DeepIdleAfter ns and that is > 0.
	Wake, WakeDeep Cost
	DeepIdleAfter  int64
	// Waker is the CPU time that the waker spends on a wake-up, at the beginning of Wake: a system call and an
	// interrupt to another processor, which a virtual machine leaves to its host.
	Waker Cost
	// Spin is the latency of a CPU that is already looking for work. A CPU that has found none goes on looking for
	// SpinFor ns before it sleeps. If that is 0 it does not, and Spin has no effect.
	Spin    Cost
	SpinFor int64
	// Steal is how long a thief backs off before it takes the run-next of a running CPU. Go asks for 3 us, which the
	// timer slack of Linux extends to about 60 us.
	Steal Cost
	// Burn is the ratio of actual to nominal time of a [Burn], in millionths, drawn once for each burn, however long.
	// On a real CPU equal work does not take equal time, and goroutines do not stay in step. The zero Cost means the
	// nominal time, and so do Unlimited CPUs and [Exact]. Give ratios of 1% to 10000%, because ParseCosts accepts no
	// others.
	Burn Cost
	// Outlier replaces Burn for one burn in OutlierEvery, chosen at random: one that was interrupted, or whose
	// processor was slow. If OutlierEvery is 0 there are none.
	Outlier      Cost
	OutlierEvery int64
	Switch       Cost // switching to another goroutine, on the CPU
	Spawn        Cost // starting a goroutine, on the CPU of the parent
	Chan         Cost // each operation on a channel, and each select
	Lock         Cost // each operation on a lock, group or condition
	Timer        Cost // starting a timer
	// PollGrain is the unit in ns in which the thread in the network poller sleeps. The runtime asks for whole
	// milliseconds, at least one. 0 means any time.
	PollGrain int64
	Syscall   Cost // entering and leaving a system call, in addition to the time in it
	// LockSpin is the time of one of the four rounds in which a goroutine spins for a Mutex before it parks. If it is
	// 0 no goroutine spins, because rounds that take no time could not see the lock change.
	LockSpin Cost
}
