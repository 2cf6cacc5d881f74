package sweep

import (
	"errors"
	"slices"
	"testing"

	"github.com/brewput/brewput/result"
)

// TestNext: the sweep calls Next at the end of each segment, with all trials so far, and ends at 0.
func TestNext(t *testing.T) {
	store := &memory{}
	s := testSweep(store, succeed)
	var asked, total []int
	s.Next = func(blocks int, trials []result.Trial) (int, error) {
		if len(trials) != 4*blocks {
			t.Errorf("after %d blocks it is given %d trials", blocks, len(trials))
		}
		asked = append(asked, blocks)
		return []int{1, 4, 0}[len(asked)-1], nil
	}
	s.Notify = func(e Event) {
		if e.Trials == nil && (len(total) == 0 || total[len(total)-1] != e.Total) {
			total = append(total, e.Total)
		}
	}
	trials, err := s.Execute(t.Context())
	if err != nil || len(trials) != 20 || len(store.trials) != 20 || !store.ended {
		t.Errorf("%d trials, %d stored, ended %v, %v", len(trials), len(store.trials), store.ended, err)
	}
	if want := []int{0, 1, 5}; !slices.Equal(asked, want) {
		t.Errorf("asked after %v, want %v", asked, want)
	}
	if want := []int{4, 20}; !slices.Equal(total, want) {
		t.Errorf("trials in sight %v, want %v", total, want)
	}

	store = &memory{}
	s = testSweep(store, succeed)
	wrong := errors.New("wrong")
	s.Next = func(blocks int, _ []result.Trial) (int, error) {
		if blocks == 2 {
			return 0, wrong
		}
		return 2, nil
	}
	if trials, err := s.Execute(t.Context()); len(trials) != 8 || !errors.Is(err, wrong) || store.ended {
		t.Errorf("%d trials, ended %v, %v", len(trials), store.ended, err)
	}
}
