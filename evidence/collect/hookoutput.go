package collect

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/brewput/brewput/internal/hook"
	"github.com/brewput/brewput/internal/input"
)

// hookOutput is what the hook writes besides profiles. See package hook.
type hookOutput struct {
	wall    time.Duration // elapsed time from the beginning of package main to the end
	end     time.Duration // time to write the evidence
	stopped time.Duration // when the trace reached its size limit; 0 if it did not
	metrics map[string]float64
}

var errNoOutput = errors.New("the program ended without its hook, as by syscall.Exit or syscall.Exec")

// readHookOutput reads what the hook wrote to dir. It returns [errNoOutput] if the hook did not reach its end.
func readHookOutput(ctx context.Context, dir string) (*hookOutput, error) {
	if reason, err := input.ReadFile(ctx, filepath.Join(dir, hook.Error), input.Figures); err == nil {
		return nil, fmt.Errorf("the hook could not collect: %s", strings.TrimSpace(string(reason)))
	}

	text, err := input.ReadFile(ctx, filepath.Join(dir, hook.End), input.Figures)
	if errors.Is(err, input.ErrRefused) {
		return nil, err
	}
	if err != nil {
		return nil, errNoOutput
	}

	return parseHookOutput(string(text))
}

// parseHookOutput parses the lines "wall NS", "end NS", "stopped NS", "metric NAME VALUE" and "histogram NAME BUCKETS".
func parseHookOutput(text string) (*hookOutput, error) {
	a := &hookOutput{metrics: map[string]float64{}}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		var err error
		switch words[0] {
		case "wall", "end", "stopped":
			var n int64
			n, err = strconv.ParseInt(words[1], 10, 64)
			*map[string]*time.Duration{"wall": &a.wall, "end": &a.end,
				"stopped": &a.stopped}[words[0]] = time.Duration(n)
		case "metric":
			if len(words) == 3 {
				a.metrics[words[1]], err = strconv.ParseFloat(words[2], 64)
			}
		case "histogram":
			err = a.histogram(words[1], words[2:])
		}
		if err != nil {
			return nil, fmt.Errorf("what the hook wrote cannot be read: %q: %w", strings.TrimSpace(line), err)
		}
	}

	return a, nil
}

// The values of a histogram among the metrics of a run: its name with one of these suffixes.
const (
	suffixCount = " count"
	suffixSum   = " sum" // from the middles of the buckets
	suffixP50   = " p50"
	suffixP99   = " p99"
	suffixMax   = " max" // middle of the highest bucket that is not empty
)

// histogram adds the values of a histogram to the metrics. Each word is a bucket, "from:to:count".
func (a *hookOutput) histogram(name string, words []string) error {
	type bucket struct{ at, n float64 }
	var list []bucket
	count, sum := 0.0, 0.0
	for _, w := range words {
		parts := strings.Split(w, ":")
		if len(parts) != 3 {
			return errors.New("a bucket has no three numbers")
		}
		low, err := strconv.ParseFloat(parts[0], 64)
		high, err2 := strconv.ParseFloat(parts[1], 64)
		n, err3 := strconv.ParseFloat(parts[2], 64)
		if err = errors.Join(err, err2, err3); err != nil {
			return err
		}
		// An end of the histogram may be infinite: the other end stands for its bucket.
		if math.IsInf(low, -1) || low < 0 {
			low = high
		}
		if math.IsInf(high, 1) {
			high = low
		}
		list = append(list, bucket{(low + high) / 2, n})
		count += n
		sum += n * (low + high) / 2
	}

	a.metrics[name+suffixCount], a.metrics[name+suffixSum] = count, sum
	quantile := func(q float64) float64 {
		rest := q * count
		for _, b := range list {
			if rest -= b.n; rest <= 0 {
				return b.at
			}
		}
		return 0
	}
	if count > 0 {
		a.metrics[name+suffixP50], a.metrics[name+suffixP99] = quantile(0.5), quantile(0.99)
		a.metrics[name+suffixMax] = list[len(list)-1].at
	}

	return nil
}
