package lab

import (
	"context"
	"errors"

	"github.com/brewput/brewput/evidence/collect"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
)

// Refusal is the error of an invalid option: nothing was measured or stored. Every verb may return it; find it with
// errors.As.
type Refusal = plan.Refusal

// refuse makes a refusal; see [plan.Refuse].
func refuse(field string, value any, reason string, args ...any) *Refusal {
	return plan.Refuse(field, value, reason, args...)
}

// asRefusal makes a refusal of an error that occurred before anything was measured, unless a disk, a benchmark or a
// program failed or the context was cancelled.
func asRefusal(ctx context.Context, err error) error {
	var r *Refusal
	var broken *BrokenError
	var failed *collect.Failure
	if err == nil || ctx.Err() != nil || store.IsStorageFailure(err) || errors.As(err, &r) ||
		errors.As(err, &broken) || errors.As(err, &failed) {
		return err
	}
	return refuse("", nil, "%w", err)
}
