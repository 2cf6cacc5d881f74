package sweep

import (
	"encoding/json"
	"fmt"
	"time"
)

// IsTwin compares the header of the stored twin in dir with the one that the run has, but for the time limit, which may
// be changed. Of a twin from before journals had checksums only the run that it belongs to is compared.
func IsTwin(dir string, h, want *Header, old bool) error {
	fixed := func(s Settings) string {
		s.TimeLimit, s.Limited = 0, false
		text, _ := json.Marshal(s) // of numbers and words: it cannot fail
		return string(text)
	}
	wrong := ""
	switch at := func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }; {
	case !h.Started.Equal(want.Started):
		wrong = fmt.Sprintf("its run began at %s, and this one at %s", at(h.Started), at(want.Started))
	case old:
	case h.Workload != want.Workload || h.World != want.World || !h.Predicts || h.Seed != want.Seed:
		wrong = fmt.Sprintf("it is of %s in a world that is %s, with the seed %s", h.Workload, h.World, h.Seed)
	case fixed(h.Settings) != fixed(want.Settings):
		wrong = fmt.Sprintf("its settings are %s, and those of the run %s", fixed(h.Settings), fixed(want.Settings))
	case h.Costs != want.Costs || h.CostsFrom != want.CostsFrom:
		wrong = fmt.Sprintf("its costs are %s (%s), and those of the run %s (%s)", h.Costs, h.CostsFrom, want.Costs,
			want.CostsFrom)
	case h.Burn != want.Burn:
		wrong = "its burn loop was calibrated, and a prediction has none"
	}
	if wrong == "" {
		return nil
	}
	return fmt.Errorf("%s does not hold the predictions of this run: %s; put back those that were there, or remove %s: an "+
		"incomplete run predicts it again, and a complete one is shown without", dir, wrong, dir)
}
