package endpoint

import (
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/workloadtest"
	"github.com/brewput/brewput/plan"
)

// answerAll serves connections with a constant reply, at a small part of the cost of the client.
func answerAll(b *testing.B) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { l.Close() })
	const reply = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				for p := make([]byte, 4096); ; {
					if _, err := c.Read(p); err != nil {
						return
					}
					if _, err := io.WriteString(c, reply); err != nil {
						return
					}
				}
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

// BenchmarkRequest measures a request with its reply: as this package sends it, with checks, and as http.Client does,
// which other load generators use.
func BenchmarkRequest(b *testing.B) {
	run := func(b *testing.B, try func(i uint64) bool) {
		var next atomic.Uint64
		b.ReportAllocs()
		b.SetParallelism(8)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if !try(next.Add(1)) {
					b.Error("a request failed")
					return
				}
			}
		})
	}
	for name, options := range map[string][]string{
		"plain": nil, "checked": {"expect-body=hello", "expect-status=200"},
	} {
		b.Run(name, func(b *testing.B) {
			w, err := made(append(options, "url="+answerAll(b))...)
			if err != nil {
				b.Fatal(err)
			}
			s, err := w.Designs[0].Stream(env.Env{}, workloadtest.Point(b, w))
			if err != nil {
				b.Fatal(err)
			}
			run(b, func(i uint64) bool { return s.Try(env.Env{}, i) })
			s.Close(env.Env{})
		})
	}
	b.Run("http.Client", func(b *testing.B) {
		url := answerAll(b)
		c := http.Client{Transport: (&Service{}).newTransport(plan.Point{})}
		run(b, func(uint64) bool {
			r, err := c.Get(url)
			if err != nil {
				return false
			}
			_, err = io.Copy(io.Discard, r.Body)
			r.Body.Close()
			return err == nil
		})
	})
}
