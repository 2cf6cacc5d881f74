package messenger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/brewput/brewput/catalog/messenger"
)

// Kinds of transmissions. The first byte of a transmission is its kind; integers follow, 8 bytes each and
// little-endian. A client begins a connection with a hello and then sends batches. The server answers with a welcome
// and with acks.
const (
	kindHello   = 'H' // client, epoch
	kindWelcome = 'W' // epoch, mark
	kindBatch   = 'B' // client, epoch, from, to, and then each message: its length in 4 bytes, and its bytes
	kindAck     = 'A' // epoch, from, to
	kindNothing = 'N' // the reply to a unary call that stores nothing
)

// frame is a transmission.
type frame struct {
	kind    byte
	hello   messenger.Hello
	welcome messenger.Welcome
	batch   messenger.Batch
	ack     messenger.Ack
	payload []byte // of a batch; it is a part of what was decoded
}

func appendHello(b []byte, h messenger.Hello) []byte {
	return appendNumbers(append(b, kindHello), h.Client, h.Epoch)
}

func appendWelcome(b []byte, w messenger.Welcome) []byte {
	return appendNumbers(append(b, kindWelcome), w.Epoch, w.Mark)
}

func appendAck(b []byte, a messenger.Ack) []byte {
	return appendNumbers(append(b, kindAck), a.Epoch, a.From, a.To)
}

func appendNumbers(b []byte, numbers ...uint64) []byte {
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return b
}

// batchBytes returns the length of a batch of n messages.
func batchBytes(n, size int) int { return 1 + 4*8 + n*(4+size) }

// appendBatch appends messages of a size. A message begins with its number, cut off at its size; the rest is zero.
func appendBatch(b []byte, x messenger.Batch, size int) []byte {
	b = appendNumbers(append(b, kindBatch), x.Client, x.Epoch, x.From, x.To)
	for n := x.From; n <= x.To; n++ {
		b = binary.LittleEndian.AppendUint32(b, uint32(size))
		var number [8]byte
		binary.LittleEndian.PutUint64(number[:], n)
		b = append(b, number[:min(8, size)]...)
		for rest := size - 8; rest > 0; rest -= len(zeros) {
			b = append(b, zeros[:min(rest, len(zeros))]...)
		}
	}
	return b
}

// zeros are the rest of a message.
var zeros [4096]byte

// numbersOf is the number of integers of each kind of transmission.
var numbersOf = map[byte]int{kindHello: 2, kindWelcome: 2, kindBatch: 4, kindAck: 3, kindNothing: 0}

// decode decodes a transmission. The payload of a batch is not decoded.
func decode(b []byte) (frame, error) {
	if len(b) == 0 {
		return frame{}, errors.New("an empty transmission")
	}
	f, rest := frame{kind: b[0]}, b[1:]
	count, ok := numbersOf[f.kind]
	if !ok {
		return frame{}, fmt.Errorf("a transmission of the unknown kind %q", f.kind)
	}
	if len(rest) < 8*count || f.kind != kindBatch && len(rest) > 8*count {
		return frame{}, fmt.Errorf("a transmission of kind %q with %d bytes", f.kind, len(b))
	}
	number := func(i int) uint64 { return binary.LittleEndian.Uint64(rest[8*i:]) }
	switch f.kind {
	case kindHello:
		f.hello = messenger.Hello{Client: number(0), Epoch: number(1)}
	case kindWelcome:
		f.welcome = messenger.Welcome{Epoch: number(0), Mark: number(1)}
	case kindAck:
		f.ack = messenger.Ack{Epoch: number(0), Span: messenger.Span{From: number(1), To: number(2)}}
	case kindBatch:
		f.batch = messenger.Batch{Client: number(0), Epoch: number(1),
			Span: messenger.Span{From: number(2), To: number(3)}}
		f.payload = rest[8*count:]
	}
	return f, nil
}

// verify returns an error unless the payload of a batch has exactly its messages, in order and of a size.
func (f frame) verify(size int) error {
	b, n := f.payload, f.batch.From
	if n == 0 || f.batch.To < n || f.batch.To == math.MaxUint64 {
		return fmt.Errorf("a batch of the messages %d to %d", n, f.batch.To)
	}
	for ; len(b) >= 4; n++ {
		length := int(binary.LittleEndian.Uint32(b))
		b = b[4:]
		if length != size || length > len(b) {
			return fmt.Errorf("message %d has %d bytes of %d", n, length, size)
		}
		var number [8]byte
		copy(number[:], b[:min(8, length)])
		want := n
		if length < 8 {
			want &= 1<<(8*length) - 1
		}
		if got := binary.LittleEndian.Uint64(number[:]); got != want {
			return fmt.Errorf("message %d holds the number %d", n, got)
		}
		b = b[length:]
	}
	if len(b) > 0 || n != f.batch.To+1 {
		return fmt.Errorf("a batch of the messages %d to %d has %d messages and %d more bytes", f.batch.From,
			f.batch.To, n-f.batch.From, len(b))
	}
	return nil
}
