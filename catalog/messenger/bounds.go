package messenger

import (
	"errors"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newPingPong is a bound: each client sends a message and waits for the echo, without queue, log and protocol.
func newPingPong(_ env.Env, p plan.Point) (workload.Job, error) {
	s := newSettings(p)
	return workload.Job{
		Items: int64(s.clients) * int64(s.messages), Bytes: int64(s.clients) * int64(s.messages) * int64(s.size),
		Run: func(e env.Env) error {
			all := e.Group()
			for i := range s.clients {
				on := newConn(e, s, Hello{Client: uint64(i + 1)}, 1)
				all.Go(e, "echo", func(e env.Env) { s.echo(e, on) })
				all.Go(e, "send", func(e env.Env) { s.ping(e, on) })
			}
			all.Wait()
			return nil
		},
	}, nil
}

// ping sends the messages of a client.
func (s settings) ping(e env.Env, on *conn) {
	for range s.messages {
		e.Burn(s.overhead)
		on.up.Send(Batch{}, s.bytes(1))
		on.down.Recv()
		e.Burn(s.overhead)
	}
	on.up.Close()
}

// echo replies to the messages of a client.
func (s settings) echo(e env.Env, on *conn) {
	for _, ok := on.up.Recv(); ok; _, ok = on.up.Recv() {
		e.Burn(2*s.overhead + s.work)
		on.down.Send(reply{}, ackBytes)
	}
}

// The messages that a stage of newStages handles before the next stage, and those of its larger transmissions.
const (
	stageChunk = 512
	stageBatch = 64
)

// stages are the metrics of newStages: CPU time for each message, for messages alone and in batches.
type stages struct{ produce, send, handle, listen float64 } // in nanoseconds

// newStages is a bound: one goroutine does the work of all others by turns, without delay and without contention. So it
// measures what each stage of a stream takes for a message that is transmitted alone, and in batches of 64.
func newStages(_ env.Env, p plan.Point) (workload.Job, error) {
	s := newSettings(p)
	s.clients, s.buffer = 1, stageChunk
	chunks := (s.messages + stageChunk - 1) / stageChunk
	var alone, batch stages
	return workload.Job{
		Items: 2 * int64(chunks) * stageChunk,
		Run: func(e env.Env) (err error) {
			if alone, err = s.stages(e, 1, chunks); err == nil {
				batch, err = s.stages(e, stageBatch, chunks)
			}
			return err
		},
		Metrics: func() map[string]float64 {
			return map[string]float64{"produce_ns": alone.produce, "send_ns": alone.send,
				"handle_ns": alone.handle, "listen_ns": alone.listen, "batch_send_ns": batch.send,
				"batch_handle_ns": batch.handle, "batch_listen_ns": batch.listen}
		},
	}, nil
}

// stages measures the stages with most messages in a transmission.
func (s settings) stages(e env.Env, most, chunks int) (sum stages, err error) {
	h := newHost(e, s, func(env.Env, *host, *conn, *Server) {})
	c := newClient(e, h, 1, stageChunk, most)
	on := c.connect(e)
	if on == nil {
		return sum, errors.New("the server did not accept a connection")
	}
	for range chunks {
		marks := [5]time.Duration{e.Now()}
		for range stageChunk {
			c.queue.Send(struct{}{})
		}
		marks[1] = e.Now()
		for n := 0; n < stageChunk; {
			b, on, _ := c.next(e)
			c.transmit(e, on, b)
			n += b.Len()
		}
		marks[2] = e.Now()
		for n := 0; n < stageChunk; {
			b, _ := on.up.Recv()
			e.Burn(h.overhead + time.Duration(b.Len())*h.work)
			h.receive(e, on, h.server, b)
			n += b.Len()
		}
		marks[3] = e.Now()
		for c.sender.InFlight() > 0 {
			c.acked(e, on)
		}
		marks[4] = e.Now()

		sum.produce += float64(marks[1] - marks[0])
		sum.send += float64(marks[2] - marks[1])
		sum.handle += float64(marks[3] - marks[2])
		sum.listen += float64(marks[4] - marks[3])
	}
	n := float64(chunks * stageChunk)
	h.crash()
	return stages{sum.produce / n, sum.send / n, sum.handle / n, sum.listen / n}, c.err
}
