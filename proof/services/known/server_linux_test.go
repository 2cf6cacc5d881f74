package known

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"
)

// TestReceived: a request reaches the server when the kernel received it, however late it is read. The server reads the
// second request of a connection after the first reply.
func TestReceived(t *testing.T) {
	url := start(t, Config{Servers: 1, Mean: 50 * time.Millisecond, Constant: true, Limit: 100})
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const tries = 20
	for try := range tries { // the kernel begins to stamp some time after it is told to
		for i := range 2 {
			if _, err := fmt.Fprintf(c, "GET /serve/%d HTTP/1.1\r\nHost: known\r\n\r\n", i); err != nil {
				t.Fatal(err)
			}
			for range 5 { // meanwhile the server reads the request
				get(t, url+"/most")
			}
		}
		var l Log
		for len(l.Entries) < 2*try+2 {
			if l, err = ReadLog(logOf(t, url)); err != nil {
				t.Fatal(err)
			}
		}
		first, second := l.Entries[2*try], l.Entries[2*try+1]
		if second.Arrival < first.End {
			t.Fatalf("one request ended at %v, but the next one was read at %v", first.End, second.Arrival)
		}
		if second.Received < first.End {
			return
		}
	}
	t.Errorf("%d requests were received when they were read", tries)
}
