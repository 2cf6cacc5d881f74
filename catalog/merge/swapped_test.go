package merge

import (
	"testing"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual"
)

// TestSeveralProducers checks that all producers that wait for room go on when the queue is drained.
func TestSeveralProducers(t *testing.T) {
	events := 0
	err := virtual.New(virtual.Config{CPUs: 1}).Run("test", func(e env.Env) {
		q, producers, consumer := newQueue(e, 2), e.Group(), e.Group()
		for range 4 {
			producers.Go(e, "producer", func(env.Env) { q.put("event") })
		}
		e.Sleep(time.Millisecond) // two producers wait
		consumer.Go(e, "consumer", func(e env.Env) {
			q.consume(e, func(_ env.Env, _ string, n int) { events += n })
		})
		producers.Wait()
		q.close()
		consumer.Wait()
	})
	if err != nil || events != 4 {
		t.Errorf("%d of 4 events: %v", events, err)
	}
}
