package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
)

// readVegeta reads vegeta's report in JSON.
func readVegeta(out []byte, _ int) (got [3]float64, perSecond float64, err error) {
	var r struct {
		Latencies struct {
			P50 float64 `json:"50th"`
			P90 float64 `json:"90th"`
			P99 float64 `json:"99th"`
		}
		Throughput, Success float64
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return got, 0, err
	}
	if r.Success < 1 {
		return got, 0, failedError(fmt.Sprintf("%.4g of the requests succeeded", r.Success))
	}
	return [3]float64{r.Latencies.P50, r.Latencies.P90, r.Latencies.P99}, r.Throughput, nil
}

// readHey reads hey's times in CSV, or its summary if it had no rate.
func readHey(out []byte, rate int) (got [3]float64, perSecond float64, err error) {
	if rate == 0 {
		return readRate(out, rate)
	}
	in := csv.NewReader(bytes.NewReader(out))
	if _, err := in.Read(); err != nil {
		return got, 0, err
	}
	var times []float64
	last := 0.0
	for {
		line, err := in.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return got, 0, err
		}
		switch {
		case len(line) != 8:
			return got, 0, fmt.Errorf("a line %q", line)
		case line[6] != "200":
			return got, 0, failedError(fmt.Sprintf("requests failed: status %q", line[6]))
		}
		took, err := strconv.ParseFloat(line[0], 64)
		if err != nil {
			return got, 0, err
		}
		start, err := strconv.ParseFloat(line[7], 64)
		if err != nil {
			return got, 0, err
		}
		times, last = append(times, took*1e9), max(last, start+took)
	}
	for i, q := range quantiles {
		got[i] = quantile(times, q)
	}
	return got, float64(len(times)) / last, nil
}

// The summaries of hey and wrk: the rate, and a line about requests that failed.
var (
	perSecondLine = regexp.MustCompile(`(?m)^\s*Requests/sec:\s+([0-9.]+)`)
	failedLine    = regexp.MustCompile(`(?m)^\s*(Error distribution|\[[13-9][0-9]*\]|Socket errors|Non-2xx).*`)
)

// failedError says that requests of a tool failed, so that it has no figures.
type failedError string

func (e failedError) Error() string { return string(e) }

// readRate reads the rate in the summary of hey or wrk. A rate with failed requests is none.
func readRate(out []byte, _ int) (got [3]float64, perSecond float64, err error) {
	m := perSecondLine.FindSubmatch(out)
	if m == nil {
		return got, 0, errors.New("no rate")
	}
	if wrong := failedLine.Find(out); wrong != nil {
		return got, 0, failedError(fmt.Sprintf("requests failed: %s", bytes.TrimSpace(wrong)))
	}
	perSecond, err = strconv.ParseFloat(string(m[1]), 64)
	return got, perSecond, err
}

// readK6 reads the summary of k6 in JSON, whose times are in milliseconds, and do not include connecting.
func readK6(out []byte, _ int) (got [3]float64, perSecond float64, err error) {
	var r struct {
		Metrics map[string]struct{ Values map[string]float64 }
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return got, 0, err
	}
	value := func(metric, name string) float64 { return r.Metrics[metric].Values[name] }
	perSecond = value("http_reqs", "rate")
	if perSecond <= 0 {
		return got, 0, errors.New("no requests")
	}
	if failed := value("http_req_failed", "rate"); failed > 0 {
		return got, 0, failedError(fmt.Sprintf("%.4g of the requests failed", failed))
	}
	if dropped := value("dropped_iterations", "count"); dropped > 0 {
		return got, 0, failedError(fmt.Sprintf("it left out %.0f requests", dropped))
	}
	for i, name := range []string{"p(50)", "p(90)", "p(99)"} {
		got[i] = value("http_req_duration", name) * 1e6
	}
	return got, perSecond, nil
}

// readOha reads oha's report in JSON.
func readOha(out []byte, _ int) (got [3]float64, perSecond float64, err error) {
	var r struct {
		Summary struct {
			SuccessRate    float64 `json:"successRate"`
			RequestsPerSec float64 `json:"requestsPerSec"`
		} `json:"summary"`
		Latency map[string]float64 `json:"latencyPercentiles"`
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return got, 0, err
	}
	if r.Summary.SuccessRate < 1 {
		return got, 0, failedError(fmt.Sprintf("%.4g of the requests succeeded", r.Summary.SuccessRate))
	}
	for i, name := range []string{"p50", "p90", "p99"} {
		got[i] = r.Latency[name] * 1e9
	}
	return got, r.Summary.RequestsPerSec, nil
}
