package peers

import (
	"context"
	"time"

	"google.golang.org/grpc"

	"github.com/brewput/brewput/catalog/peers"
	"github.com/brewput/brewput/extra/remote"
)

// link sends messages to a peer, one after the other. They are lost if it does not reply in time.
type link struct {
	conn   *grpc.ClientConn
	from   int
	queue  chan peers.Message
	ctx    context.Context
	cancel context.CancelFunc
	ended  chan struct{}
}

// tellLimit is the time limit of a message between peers.
const tellLimit = 200 * time.Millisecond

func newLink(to remote.Endpoint, from int) (*link, error) {
	conn, err := to.GRPC(grpc.WithDefaultCallOptions(grpc.ForceCodecV2(remote.Raw())))
	if err != nil {
		return nil, err
	}
	k := &link{conn: conn, from: from, queue: make(chan peers.Message, 64), ended: make(chan struct{})}
	k.ctx, k.cancel = context.WithCancel(context.Background())
	go k.run()
	return k, nil
}

// send sends a message, unless many wait.
func (k *link) send(m peers.Message) {
	select {
	case k.queue <- m:
	default:
	}
}

func (k *link) run() {
	defer close(k.ended)
	for {
		select {
		case <-k.ctx.Done():
			return
		case m := <-k.queue:
			ctx, cancel := context.WithTimeout(k.ctx, tellLimit)
			var reply []byte
			text := number(uint64(k.from), uint64(m.Kind), uint64(m.Number), m.Value)
			k.conn.Invoke(ctx, "/"+serviceName+"/Tell", text, &reply) // an error is a lost message
			cancel()
		}
	}
}

func (k *link) close() {
	k.cancel()
	<-k.ended
	k.conn.Close()
}
