package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// The outputs of the tools, shortened.
const (
	vegetaText = `{"latencies":{"total":1,"mean":2,"50th":1854541,"90th":5000000,"95th":1,"99th":12000000,"max":1},` +
		`"duration":1,"requests":2,"rate":600.1,"throughput":599.5,"success":1,"status_codes":{"200":2},"errors":[]}`
	k6Text = `{"metrics":{"http_reqs":{"values":{"rate":599.5,"count":5995}},"http_req_failed":{"values":{"rate":0}},` +
		`"dropped_iterations":{"values":{"count":0}},` +
		`"http_req_duration":{"values":{"p(50)":1.854541,"p(90)":5.000000,"p(99)":12.000000}}}}`
	ohaText = `{"summary":{"successRate":1.0,"requestsPerSec":599.5},"latencyPercentiles":{"p50":0.001854541,` +
		`"p90":0.005,"p99":0.012}}`
	heyText = "\nSummary:\n  Total:\t3.0007 secs\n  Requests/sec:\t21345.6789\n\nResponse time histogram:\n" +
		"  0.001 [1]\t|\n\nStatus code distribution:\n  [200]\t64037 responses\n"
	wrkText = "Running 1s test @ http://127.0.0.1:1/fast\nRequests/sec:  21345.6789\nTransfer/sec:      2.31MB\n"
	heyCSV  = "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\n"
)

// TestReaders reads what the tools print.
func TestReaders(t *testing.T) {
	lines := strings.Builder{}
	lines.WriteString(heyCSV)
	for i := range 1000 {
		fmt.Fprintf(&lines, "0.%04d,0.0000,0.0000,0.0000,0.0019,0.0000,200,%.4f\n", i+1, float64(i)/100)
	}
	times := [3]float64{1854541, 5e6, 12e6}
	for _, c := range []struct {
		name string
		read func([]byte, int) ([3]float64, float64, error)
		text string
		rate int
		got  [3]float64
		per  float64
	}{
		{"vegeta", readVegeta, vegetaText, 600, times, 599.5},
		{"oha", readOha, ohaText, 600, times, 599.5},
		{"k6", readK6, k6Text, 600, times, 599.5},
		{"hey", readHey, lines.String(), 600, [3]float64{50e6, 90e6, 99e6}, 1000 / 10.09},
		{"hey", readHey, heyText, 0, [3]float64{}, 21345.6789},
		{"wrk", readRate, wrkText, 0, [3]float64{}, 21345.6789},
	} {
		got, per, err := c.read([]byte(c.text), c.rate)
		if err != nil || got != c.got || per < 0.999999*c.per || per > 1.000001*c.per {
			t.Errorf("%s: %v, %v, %v", c.name, got, per, err)
		}
	}
	const wrong = "requests failed"
	for _, c := range []struct {
		name, text, failed string // the text of a failedError; "" for another error
		read               func([]byte, int) ([3]float64, float64, error)
		rate               int
	}{
		{"vegeta", `{"success":0.9}`, "0.9 of the requests succeeded", readVegeta, 1},
		{"hey", heyCSV + "1,2,3,4,5,6,500,8\n", wrong, readHey, 1},
		{"hey, refused", heyText + "\nError distribution:\n  [9]\tconnection refused\n", wrong, readRate, 0},
		{"hey, a status", heyText + "  [503]\t1 responses\n", wrong, readRate, 0},
		{"wrk", "no", "", readRate, 0},
		{"wrk, a status", "  Non-2xx or 3xx responses: 4\n" + wrkText, wrong, readRate, 0},
		{"k6", strings.Replace(k6Text, `"rate":0}`, `"rate":0.1}`, 1), "0.1 of the requests failed", readK6, 1},
		{"k6, left out", strings.Replace(k6Text, `"count":0`, `"count":5`, 1), "it left out 5 requests", readK6, 1},
		{"k6, no request", `{"metrics":{}}`, "", readK6, 1},
		{"oha", strings.Replace(ohaText, "1.0", "0.9", 1), "0.9 of the requests succeeded", readOha, 1},
	} {
		_, _, err := c.read([]byte(c.text), c.rate)
		var failed failedError
		if err == nil || errors.As(err, &failed) != (c.failed != "") || !strings.Contains(string(failed), c.failed) {
			t.Errorf("%s: %v, want %q", c.name, err, c.failed)
		}
	}
}

// FuzzReaders: no output of a tool makes a reader fail otherwise than by an error.
func FuzzReaders(f *testing.F) {
	f.Add([]byte(vegetaText))
	f.Add([]byte(ohaText))
	f.Add([]byte(k6Text))
	f.Add([]byte(heyText))
	f.Add([]byte(heyCSV + "0.1,0,0,0,0,0,200,1\n"))
	f.Add([]byte(`{"kind":"trial","status":"ok","order":1,"seed":"1","metrics":{"response_p50_ns":null}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		readVegeta(text, 1)
		readOha(text, 1)
		readK6(text, 1)
		readHey(text, 1)
		readHey(text, 0)
		trialOf(text)
	})
}
