package collect

import (
	"context"

	"github.com/brewput/brewput/internal/gotrace"
	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/timeline"
)

// maxSpans is how many spans of a trace a timeline has: more than a browser shows.
const maxSpans = 1 << 20

// Timeline reads the target's trace as spans of goroutines that ran, queued and waited, up to a million of them. It is
// nil without a trace. Call it before Close.
func (c *Collected) Timeline(ctx context.Context) (*timeline.Timeline, error) {
	path := c.Path("trace")
	if path == "" {
		return nil, nil
	}
	f, err := input.Open(ctx, path, input.Trace)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := gotrace.Timeline(f, maxSpans)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	t.Title = c.Program.Name
	return t, nil
}
