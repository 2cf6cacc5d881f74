package messenger

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brewput/brewput/catalog/messenger"
)

// transmissions returns one of each kind.
func transmissions() [][]byte {
	return [][]byte{
		appendHello(nil, messenger.Hello{Client: 1, Epoch: 2}),
		appendWelcome(nil, messenger.Welcome{Epoch: 1, Mark: 1 << 60}),
		appendAck(nil, messenger.Ack{Epoch: 3, Span: messenger.Span{From: 4, To: 5}}), {kindNothing},
		appendBatch(nil, batch(7, 9), 20), appendBatch(nil, batch(255, 257), 1), appendBatch(nil, batch(1, 3), 0),
	}
}

// batch is the messages of client 3 on connection 2.
func batch(from, to uint64) messenger.Batch {
	return messenger.Batch{Client: 3, Epoch: 2, Span: messenger.Span{From: from, To: to}}
}

// TestWire checks that decode returns what was encoded.
func TestWire(t *testing.T) {
	want := []frame{
		{kind: kindHello, hello: messenger.Hello{Client: 1, Epoch: 2}},
		{kind: kindWelcome, welcome: messenger.Welcome{Epoch: 1, Mark: 1 << 60}},
		{kind: kindAck, ack: messenger.Ack{Epoch: 3, Span: messenger.Span{From: 4, To: 5}}},
		{kind: kindNothing}, {kind: kindBatch, batch: batch(7, 9)}, {kind: kindBatch, batch: batch(255, 257)},
		{kind: kindBatch, batch: batch(1, 3)},
	}
	sizes := []int{0, 0, 0, 0, 20, 1, 0}
	for i, b := range transmissions() {
		f, err := decode(b)
		if err == nil && f.kind == kindBatch {
			err = f.verify(sizes[i])
			if len(b) != batchBytes(3, sizes[i]) {
				t.Errorf("a batch has %d bytes", len(b))
			}
		}
		f.payload = nil
		if err != nil || f.kind != want[i].kind || f.hello != want[i].hello || f.welcome != want[i].welcome ||
			f.ack != want[i].ack || f.batch != want[i].batch {
			t.Errorf("%+v, %v; want %+v", f, err, want[i])
		}
	}
}

// TestWrongWire checks the errors of transmissions that are damaged.
func TestWrongWire(t *testing.T) {
	whole := appendBatch(nil, batch(7, 9), 20)
	renumbered := bytes.Clone(whole)
	renumbered[33+4] = 8
	for text, b := range map[string][]byte{
		"an empty transmission": nil, `the unknown kind 'x'`: {'x'}, `kind 'H' with 3 bytes`: {'H', 1, 2},
		`kind 'A' with 26 bytes`: append(transmissions()[2], 0), `kind 'B' with 30 bytes`: whole[:30],
		"message 9 has 20 bytes of 20": whole[:len(whole)-1],
		"has 3 messages and 1 more":    append(bytes.Clone(whole), 0),
		"has 2 messages and 0 more":    whole[:33+2*24], "message 7 holds the number 8": renumbered,
	} {
		f, err := decode(b)
		if err == nil {
			err = f.verify(20)
		}
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v, want %q", err, text)
		}
	}
}

// FuzzDecode checks that no transmission causes a panic, and that a valid batch is what it is encoded as.
func FuzzDecode(f *testing.F) {
	for _, b := range transmissions() {
		f.Add(b, 20)
	}
	f.Add(appendNumbers([]byte{kindBatch}, 1, 1, 0, 1<<64-1), 0)
	f.Fuzz(func(t *testing.T, b []byte, size int) {
		x, err := decode(b)
		if err != nil || x.kind != kindBatch || x.verify(size) != nil {
			return
		}
		if again := appendBatch(nil, x.batch, size); len(again) != len(b) {
			t.Errorf("a batch of %d bytes is encoded in %d", len(b), len(again))
		}
	})
}

// TestLog stores messages, kills the process by not closing the log, and stores more. A record that is not complete is
// replaced.
func TestLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, stored, err := openLog(path, 3)
	if err != nil || len(stored.Marks()) != 0 {
		t.Fatal(stored, err)
	}
	if err := l.store(5, messenger.Span{From: 1, To: 4}); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte{9, 0, 0, 0, 0, 0, 0, 0, 7}, recordBytes); err != nil {
		t.Fatal(err)
	}
	f.Close()

	again, stored, err := openLog(path, 3)
	if err != nil || stored.Marks()[5] != 4 || len(stored.Marks()) != 1 {
		t.Fatal(stored, err)
	}
	for _, s := range []messenger.Span{{From: 5, To: 5}, {From: 6, To: 1 << 40}} {
		if err := again.store(5, s); err != nil {
			t.Fatal(err)
		}
	}
	err = again.store(5, messenger.Span{From: 1, To: 1})
	if err == nil || !strings.Contains(err.Error(), "3 records") {
		t.Error("a full log:", err)
	}
	last, err := readLog(path)
	if err != nil || last.Marks()[5] != 1<<40 {
		t.Error(last, err)
	}
	for _, l := range []*log{l, again} {
		if err := l.close(); err != nil {
			t.Error(err)
		}
	}
}

// TestWrongLog checks that a log with a record that no server stores is refused.
func TestWrongLog(t *testing.T) {
	for _, b := range [][]byte{appendNumbers(nil, 1, 1, 5, 1, 0, 3), appendNumbers(nil, 1, 1, 5, 1, 7, 6)} {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readLog(path); err == nil || !strings.Contains(err.Error(), "of client 1 at byte 24") {
			t.Error(err)
		}
		if _, _, err := openLog(path, 2); err == nil {
			t.Error("a server opens the log")
		}
	}
}

// TestSparseLog checks that a log which is much larger than its records takes no memory for the rest.
func TestSparseLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	err := os.WriteFile(path, appendNumbers(nil, 1, 1, 5), 0o600)
	if err == nil {
		err = os.Truncate(path, 1<<40)
	}
	if err != nil {
		t.Fatal(err)
	}
	if l, err := readLog(path); err != nil || l.Marks()[1] != 5 {
		t.Error(l, err)
	}
}

// FuzzParseLog checks that no log causes a panic, and that whole records are read.
func FuzzParseLog(f *testing.F) {
	f.Add([]byte{})
	f.Add(appendNumbers(nil, 1, 1, 5, 1, 6, 7, 0, 0, 0))
	f.Add(appendNumbers(nil, 1, 1, 5)[:23])
	f.Fuzz(func(t *testing.T, b []byte) {
		l, n, err := parseLog(bytes.NewReader(b))
		if n%recordBytes != 0 || n > len(b) || (l == nil) != (err != nil) {
			t.Errorf("%d bytes of %d, %v", n, len(b), err)
		}
	})
}
