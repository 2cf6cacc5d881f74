package sweep

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/load"
	"github.com/brewput/brewput/plan"
)

// ReadArrivals reads the files of recorded arrivals that the cases name. It returns the gaps between arrivals by
// path.
func ReadArrivals(ctx context.Context, cases []plan.Case) (map[string][]time.Duration, []InputFile, error) {
	gaps := map[string][]time.Duration{}
	var files []InputFile
	for _, c := range cases {
		// The level of a stored case may be a duration: JSON does not tell one from a name such as 5m.
		level, ok := c.Point.Get("arrivals")
		path := level.String()
		if !ok || path == load.Poisson || path == load.Constant || gaps[path] != nil {
			continue
		}
		text, err := input.ReadFile(ctx, path, input.Arrivals)
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if errors.Is(err, input.ErrRefused) {
			return nil, nil, &plan.Refusal{Field: "arrivals", Reason: err.Error(), Err: err}
		}
		if err != nil {
			return nil, nil, &plan.Refusal{Field: "arrivals", Value: path, Err: err,
				Reason: fmt.Sprintf("it is neither poisson nor constant, nor a readable file of arrivals: %v", err)}
		}
		if gaps[path], err = load.ReadGaps(bytes.NewReader(text)); err != nil {
			return nil, nil, &plan.Refusal{Field: "arrivals", Value: path, Reason: err.Error(), Err: err}
		}
		sum := sha256.Sum256(text)
		files = append(files, InputFile{path, hex.EncodeToString(sum[:])})
	}
	return gaps, files, nil
}

// ReloadInputs reads the recorded arrivals of a resumed sweep. It is an error if they, or files of the workload, have
// changed.
func (s *Sweep) ReloadInputs(ctx context.Context) (err error) {
	if err := s.sameInputs(ctx); err != nil {
		return err
	}
	var files []InputFile
	if s.Arrivals, files, err = ReadArrivals(ctx, slices.Concat(s.Plan.Cases, s.Header.PredictedCases)); err != nil {
		return err
	}
	for i, f := range files {
		if i >= len(s.Header.ArrivalFiles) || f != s.Header.ArrivalFiles[i] {
			return fmt.Errorf("%s has changed since the run began, so the remaining trials would get other "+
				"requests; restore the file or start a new run", f.Path)
		}
	}
	return nil
}
