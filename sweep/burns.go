package sweep

// ask asks for the pace of burns. An answer beyond reason is none.
func (s *Sweep) ask() {
	if s.BurnRatio == nil {
		return
	}
	s.paced = 1
	if p := s.BurnRatio(s.Header.Burn.Rate); p > 1.0/paceLimit && p < paceLimit {
		s.paced = p
	}
}

// paceLimit is how many times slower or faster a CPU may become: more is a probe that failed.
const paceLimit = 3

// burnRate is the rate of burns at the present pace.
func (s *Sweep) burnRate() float64 {
	if s.paced == 0 {
		return s.Header.Burn.Rate
	}
	return s.Header.Burn.Rate / s.paced
}
