package host

import (
	"context"

	"github.com/brewput/brewput/doctor"
)

// CalmMoment examines the machine until nothing disturbs it, at most three times, because the load of a program that
// just ended is soon over. It returns the last examination, disturbed or not.
func CalmMoment(ctx context.Context) (x *Examiner, err error) {
	for range 3 {
		if x, err = Examine(ctx, ""); err != nil || doctor.Disturbed(x.Readings(), false) == "" {
			return x, err
		}
	}
	return x, nil
}
