package virtual

import (
	"testing"
	"time"

	"github.com/brewput/brewput/env"
)

// TestLongestTimeline: a record of too many spans ends early, and says so by its end.
func TestLongestTimeline(t *testing.T) {
	w := New(Config{Timeline: true})
	w.recorder.most = 100
	err := w.Run("main", func(e env.Env) {
		w.Record(time.Hour)
		for i := range uint64(200) {
			e.For(i)
			e.Burn(1)
		}
	})
	l := w.Timeline()
	if err != nil || len(l.Spans) < 100 || len(l.Spans) > 101 || l.To > 101 || l.Busy() != l.To || l.Validate() != nil {
		t.Errorf("%v; %d spans up to %d, %v", err, len(l.Spans), l.To, l.Validate())
	}
}
