package messenger

import (
	"math"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// formula returns a formula for the wall time of a design, if nothing fails. seconds gets the point as settings.
func formula(text, source string, seconds func(s settings, p plan.Point, m workload.Measured) float64,
) *workload.Formula {
	return &workload.Formula{Text: text, Source: source, Seconds: func(p plan.Point, m workload.Measured) float64 {
		s := newSettings(p)
		if s.faults > 0 || s.loss > 0 {
			return math.NaN()
		}
		return seconds(s, p, m)
	}}
}

// roundTrips predicts sync: a client sends a message each round-trip time.
func roundTrips() *workload.Formula {
	return formula("messages of a client x round-trip time, by pingpong", "stop-and-wait: throughput = 1 / RTT",
		func(_ settings, p plan.Point, m workload.Measured) float64 { return m.Wall("pingpong", p) })
}

// stagesOf returns what stages measured for messages alone, or for batches of stageBatch, in seconds. The stage that
// fills the queue handles each message alone in any case.
func stagesOf(p plan.Point, m workload.Measured, prefix string) (produce, send, handle, listen float64) {
	value := func(metric string) float64 {
		x, ok := m("stages", metric, p)
		if !ok {
			return math.NaN()
		}
		return x / 1e9
	}
	return value("produce_ns"), value(prefix + "send_ns"), value(prefix + "handle_ns"), value(prefix + "listen_ns")
}

// pipeline returns the wall time of stages that work at the same time. The slowest one limits a client, and the CPUs
// limit all clients together. The network is a stage, too: a transmission of bytes takes its time on each connection,
// and at most buffer messages are in flight for a round trip.
func (s settings) pipeline(p plan.Point, bytes float64, stages ...float64) float64 {
	slowest, sum := 0.0, 0.0
	for _, t := range stages {
		slowest, sum = max(slowest, t), sum+t
	}
	rtt := 2 * s.delay.Seconds()
	slowest = max(slowest, rtt/float64(s.buffer))
	if s.bandwidth > 0 {
		slowest = max(slowest, bytes/s.bandwidth)
	}
	n := float64(s.messages)
	return rtt + max(n*slowest, n*float64(s.clients)*sum/float64(p.Int("cpus")))
}

// slowestStage predicts in-order.
func slowestStage() *workload.Formula {
	return formula("messages x max(slowest stage, sum of stages x clients / CPUs), by stages",
		"asymptotic bounds of operational analysis: throughput <= 1 / max stage",
		func(s settings, p plan.Point, m workload.Measured) float64 {
			produce, send, handle, listen := stagesOf(p, m, "")
			return s.pipeline(p, float64(s.bytes(1)), produce, send, handle, listen)
		})
}

// fullWindow predicts window: by Little's law, w messages in flight for a round-trip time each, unless the stages are
// slower.
func fullWindow() *workload.Formula {
	return formula("max(messages x RTT / window, by pingpong; the time of in-order)",
		"Little's law: window = throughput x RTT",
		func(_ settings, p plan.Point, m workload.Measured) float64 {
			return max(m.Wall("pingpong", p)/float64(p.Int("window")), m.Wall("in-order", p))
		})
}

// batchCosts predicts batches: a stage takes o for a transmission and c for a message in it, o/k + c for each of k
// messages.
func batchCosts() *workload.Formula {
	return formula("as in-order, each stage o/k + c: o and c by stages, k messages in a transmission by batches",
		"a fixed cost that k messages share",
		func(s settings, p plan.Point, m workload.Measured) float64 {
			transmissions, ok := m("batches", "transmissions", p)
			if !ok || transmissions == 0 {
				return math.NaN()
			}
			k := float64(s.messages) * float64(s.clients) / transmissions
			produce, send, handle, listen := stagesOf(p, m, "")
			_, send2, handle2, listen2 := stagesOf(p, m, "batch_")
			at := func(alone, batch float64) float64 {
				o := (alone - batch) * stageBatch / (stageBatch - 1)
				return o/k + alone - o
			}
			return s.pipeline(p, float64(headerBytes)/k+float64(s.size), produce, at(send, send2), at(handle, handle2),
				at(listen, listen2))
		})
}
