package load

import (
	"time"

	"github.com/brewput/brewput/internal/hist"
)

func histOf(d time.Duration) *hist.Recorder {
	h := hist.NewRecorder()
	h.Record(int64(d))
	return h
}
