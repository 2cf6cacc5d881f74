package sweep

// ask asks for the pace of burns. An answer beyond reason is none.
func (s *Sweep) probeBurnRatio() {
	if s.BurnRatio == nil {
		return
	}
	s.measuredRatio = 1
	if p := s.BurnRatio(s.Header.Burn.Rate); p > 1.0/burnRatioLimit && p < burnRatioLimit {
		s.measuredRatio = p
	}
}

// paceLimit is how many times slower or faster a CPU may become: more is a probe that failed.
const burnRatioLimit = 3

// burnRate is the rate of burns at the present pace.
func (s *Sweep) burnRate() float64 {
	if s.measuredRatio == 0 {
		return s.Header.Burn.Rate
	}
	return s.Header.Burn.Rate / s.measuredRatio
}
