package sim

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

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

// charge reports whether any operation costs time.
func (c *Costs) charge() bool {
	return !(c.Spawn.none() && c.Chan.none() && c.Lock.none() && c.Timer.none() && c.Syscall.none() && c.Waker.none())
}

// scatter reports whether burns may differ from their nominal time.
func (c *Costs) scatter() bool { return !c.Burn.none() || c.outliers() }

// outliers reports whether some burns are outliers.
func (c *Costs) outliers() bool { return c.OutlierEvery > 0 && !c.Outlier.none() }

// Typical returns the costs of no particular machine: measurements by microbenchmarks on a virtual machine with 2
// CPUs (AMD EPYC, Linux, Go 1.26), rounded. The runtime asks for 3 us of back-off before it steals run-next; the
// timer slack of Linux makes that longer. A round of spinning for a lock is 30 PAUSE instructions, of 25 ns there;
// other processors take 10 to 50 ns for one.
//
// Burn times vary as [Config] describes, and their mean is the nominal time: 399 of 400 burns take 99.375% to
// 100.375%, at random, and the other one 100% to 200%.
func Typical() Costs {
	return Costs{
		Burn: Quantiles(993_750, 1_003_750), Outlier: Quantiles(whole, 2*whole), OutlierEvery: outlierEvery,
		Wake: Ns(15_000), Spin: Ns(1_000), SpinFor: 20_000, Steal: Ns(90_000), Switch: Ns(120), Spawn: Ns(300),
		Chan: Ns(20), Lock: Ns(5), LockSpin: Ns(750), Timer: Ns(200), PollGrain: 1_000_000, Syscall: Ns(300),
	}
}

// Steady returns c without the variation of burns: all take their nominal time.
func (c Costs) Steady() Costs {
	c.Burn, c.Outlier, c.OutlierEvery = Cost{}, Cost{}, 0
	return c
}

// setting is a field of Costs with its name in the text form. One of cost, span and count is set.
type setting struct {
	name  string
	cost  *Cost
	span  *int64 // a time in ns
	share bool   // the cost is a fraction of a time, in millionths
	count *int64 // a number
}

// settings returns all settings in the order of the text form.
func (c *Costs) settings() []setting {
	return []setting{
		{name: "wake", cost: &c.Wake}, {name: "deep", cost: &c.WakeDeep}, {name: "deep-after", span: &c.DeepIdleAfter},
		{name: "rouse", cost: &c.Waker},
		{name: "spin", cost: &c.Spin}, {name: "spin-for", span: &c.SpinFor}, {name: "steal", cost: &c.Steal},
		{name: "burn", cost: &c.Burn, share: true},
		{name: "outlier", cost: &c.Outlier, share: true}, {name: "outlier-every", count: &c.OutlierEvery},
		{name: "switch", cost: &c.Switch}, {name: "spawn", cost: &c.Spawn}, {name: "chan", cost: &c.Chan},
		{name: "lock", cost: &c.Lock},
		{name: "lock-spin", cost: &c.LockSpin}, {name: "timer", cost: &c.Timer},
		{name: "poll-grain", span: &c.PollGrain}, {name: "syscall", cost: &c.Syscall},
	}
}

// maxCost is the greatest cost: beyond it a single one would take the whole run. maxQuantiles is the largest number
// of quantiles of a cost.
const (
	maxCost      = time.Second
	maxQuantiles = 1000
	whole        = 1_000_000 // all of a time, in millionths
	percent      = whole / 100
	maxShare     = 100 * whole

	// A burn that takes a hundredth of its time would give a hundred times the throughput. A single drawn burn may be
	// short, or long because other processes delay it.
	leastBurn = whole / 2  // on average
	mostBurn  = 10 * whole // of a fixed cost

	// outlierEvery is the default of Costs.OutlierEvery, and maxEvery its maximum.
	outlierEvery = 400
	maxEvery     = 1_000_000_000
)

// String returns the text form, which ParseCosts parses. It omits costs that are 0 or implied; "none" if there are no
// others.
func (c Costs) String() string {
	implied := Costs{Spin: c.Spin, Lock: c.Lock, Timer: c.Timer, Outlier: c.Outlier}
	implied.imply(nil)
	var parts []string
	impliedSettings := implied.settings()
	for i, s := range c.settings() {
		var text string
		switch follows := impliedSettings[i]; s.name {
		case "spin-for", "lock-spin", "poll-grain", "outlier-every":
			if text = s.String(); text == follows.String() {
				continue
			}
		default:
			if text = s.String(); text == none {
				continue
			}
		}
		parts = append(parts, s.name+"="+text)
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ",")
}

// none is the text of no time.
const none = "0s"

// String returns the value in the text form.
func (s setting) String() string {
	if s.count != nil {
		return strconv.FormatInt(*s.count, 10)
	}
	if s.span != nil {
		return time.Duration(*s.span).String()
	}
	if s.cost.quantiles == nil {
		return s.text(s.cost.fixed)
	}
	texts, marked := make([]string, len(s.cost.quantiles)), s.cost.marked()
	for i, q := range s.cost.quantiles {
		if texts[i] = s.text(q); marked[i] {
			texts[i] += "@" + perCent(s.cost.at[i])
		}
	}
	return strings.Join(texts, "/")
}

// text formats a number in the text form.
func (s setting) text(n int64) string {
	if !s.share || n == 0 && s.cost.none() {
		return time.Duration(n).String()
	}
	return perCent(n)
}

// perCent formats millionths as a percentage.
func perCent(n int64) string {
	text := fmt.Sprintf("%d.%04d", n/percent, n%percent)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".") + "%"
}
