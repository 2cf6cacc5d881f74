package messenger

import (
	"time"

	"github.com/brewput/brewput/env"
)

// timing samples the time from the sending of a message to its acknowledgement.
type timing struct {
	pending uint64 // the message; 0 if there is none
	at      time.Duration
	took    []time.Duration
}

// Every sampleEvery-th message is sampled, if none is pending. A trial keeps at most maxSamples times for each client.
const (
	sampleEvery = 16
	maxSamples  = 1 << 16
)

// sent notes that messages are sent now.
func (t *timing) sent(e env.Env, s Span) {
	if t.pending == 0 && s.To/sampleEvery != (s.From-1)/sampleEvery && len(t.took) < maxSamples {
		t.pending, t.at = s.To/sampleEvery*sampleEvery, e.Now()
	}
}

// acked notes that messages are acknowledged now.
func (t *timing) acked(e env.Env, s Span) {
	if t.pending != 0 && s.From <= t.pending && t.pending <= s.To {
		t.took = append(t.took, e.Now()-t.at)
		t.pending = 0
	}
}

// broken forgets the pending message.
func (t *timing) broken() { t.pending = 0 }
