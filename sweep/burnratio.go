package sweep

// probeBurnRatio measures the ratio of actual to nominal burn time. It ignores implausible values; see
// burnRatioLimit.
func (s *Sweep) probeBurnRatio() {
	if s.BurnRatio == nil {
		return
	}
	s.measuredRatio = 1
	if p := s.BurnRatio(s.Header.Burn.Rate); p > 1.0/burnRatioLimit && p < burnRatioLimit {
		s.measuredRatio = p
	}
}

// burnRatioLimit is the largest plausible change of a CPU's speed, as a factor. A probe that finds more has failed.
const burnRatioLimit = 3

// burnRate returns the burn rate, in iterations per nanosecond, corrected by the measured ratio.
func (s *Sweep) burnRate() float64 {
	if s.measuredRatio == 0 {
		return s.Header.Burn.Rate
	}
	return s.Header.Burn.Rate / s.measuredRatio
}
