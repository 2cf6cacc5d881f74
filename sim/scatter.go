package sim

import "math/bits"

// lasts returns how long a burn of ns lasts.
func (k *Kernel) lasts(ns int64) int64 {
	if k.scatters {
		return k.scattered(ns)
	}
	return ns
}

// scattered is lasts for burns that may differ from their nominal time.
func (k *Kernel) scattered(ns int64) int64 {
	if ns <= 0 {
		return ns
	}
	d := scaled(ns, k.share())
	if k.stretch != nil {
		if d += k.stretch(ns); d < 0 { // beyond the end of time
			return never
		}
	}
	return d
}

// share returns the ratio of actual to nominal time of a burn, in millionths. One random number decides whether the
// burn is an outlier, if there are any, and the next one how long it is. A fixed ratio uses no random number.
func (k *Kernel) share() int64 {
	c := &k.costs
	if c.outliers() && k.draws.below(uint64(c.OutlierEvery)) == 0 {
		return c.Outlier.draw(&k.draws)
	}
	if c.Burn.none() {
		return whole
	}
	return c.Burn.draw(&k.draws)
}

// scaled returns ns > 0 times a ratio, rounded to the nearest, so that short burns are not shorter on average. It is
// at least 1.
func scaled(ns, share int64) int64 {
	if share == whole {
		return ns
	}
	hi, lo := bits.Mul64(uint64(ns), uint64(share))
	lo, carry := bits.Add64(lo, whole/2, 0)
	if hi += carry; hi >= whole/2 { // beyond the end of time
		return never
	}
	q, _ := bits.Div64(hi, lo, whole)
	return max(1, int64(q))
}
