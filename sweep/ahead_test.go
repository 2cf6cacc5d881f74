package sweep

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/brewput/brewput/trial"
)

// TestNothingGoesOn: a sweep that fails ends the trials that its pool has begun ahead.
func TestNothingGoesOn(t *testing.T) {
	for name, execute := range map[string]func(*Sweep) error{
		"sweep": func(s *Sweep) error {
			_, err := s.Execute(context.Background())
			return err
		},
		"prediction": func(s *Sweep) error {
			_, _, err := testSweep(&memory{}, succeed).ExecuteWithPrediction(context.Background(), s)
			return err
		},
	} {
		synctest.Test(t, func(t *testing.T) { // fails if a trial is left
			s := testSweep(&memory{failAt: 1}, nil)
			s.pool = trial.NewPool(func(ctx context.Context, spec trial.Spec) (trial.Outcome, error) {
				if spec.Block == 0 && spec.Order < 2 {
					return succeed(ctx, spec)
				}
				<-ctx.Done()
				return trial.Outcome{}, ctx.Err()
			})
			s.Run, s.Ahead = s.pool.Run, s.pool.Ahead
			if err := execute(s); !errors.Is(err, errDisk) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}
