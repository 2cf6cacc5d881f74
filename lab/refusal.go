package lab

import (
	"context"
	"errors"

	"github.com/brewput/brewput/evidence/collect"
	"github.com/brewput/brewput/plan"
)

// Refusal is an error about options that cannot be carried out: nothing was measured or stored. Every verb returns it,
// and callers find it with errors.As.
type Refusal = plan.Refusal

// refuse makes a refusal; see [plan.Refuse].
func refuse(field string, value any, reason string, args ...any) *Refusal {
	return plan.Refuse(field, value, reason, args...)
}

// asRefusal makes a refusal of an error that came before anything was measured, unless it is a benchmark or a program
// that fails, or a cancelled context.
func asRefusal(ctx context.Context, err error) error {
	var r *Refusal
	var broken *BrokenError
	var failed *collect.Failure
	if err == nil || ctx.Err() != nil || errors.As(err, &r) || errors.As(err, &broken) || errors.As(err, &failed) {
		return err
	}
	return refuse("", nil, "%w", err)
}
