package trial

import (
	"time"

	"github.com/brewput/brewput/internal/hist"
)

func histOf(d time.Duration) *hist.Histogram {
	h := hist.New()
	h.Record(int64(d))
	return h
}
