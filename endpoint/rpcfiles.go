package endpoint

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// TLSConfig returns the settings of TLS, without the name of the server. They are the caller's.
func (r *RPC) TLSConfig() *tls.Config { return cmp.Or(r.service.TLS, &tls.Config{}).Clone() }

// read returns a copy with what is in the files that the options name. The error is a [plan.Refusal].
func (r *RPC) read(ctx context.Context) (*RPC, error) {
	own := *r
	files := workload.Given{"ca-file": {r.CAFile}, "cert": {r.Cert}, "key": {r.Key}}
	var err error
	if own.service.TLS, err = readTLS(ctx, files, r.service.TLS); err != nil {
		return nil, err
	}
	if r.DescriptorSet != "" {
		if own.Descriptors, err = input.ReadFile(ctx, r.DescriptorSet, input.Descriptors); err != nil {
			return nil, plan.Refuse("descriptor-set", nil, "%w", err)
		}
	}
	if r.DataFile == "" {
		return &own, nil
	}

	text, err := readBody(ctx, "data-file", r.DataFile)
	if err != nil {
		return nil, err
	}
	if own.Data, err = splitJSON(text); err != nil {
		return nil, plan.Refuse("data-file", quoted(r.DataFile), "%w", err)
	}
	return &own, nil
}

// splitJSON splits a text into the JSON values that it has.
func splitJSON(text []byte) (values []string, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		var v json.RawMessage
		switch err := d.Decode(&v); {
		case errors.Is(err, io.EOF) && len(values) > 0:
			return values, nil
		case errors.Is(err, io.EOF):
			return nil, errors.New("it has no request in JSON")
		case err != nil:
			return nil, fmt.Errorf("request %d is not JSON: %s", len(values)+1, quote.Line(err.Error()))
		}
		values = append(values, string(v))
	}
}
