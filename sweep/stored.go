package sweep

import (
	"encoding/json"
	"fmt"

	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/result"
)

// ReadHeader decodes the header in the journal of the run directory dir.
func ReadHeader(dir string, raw []byte) (h Header, err error) {
	if err := json.Unmarshal(raw, &h); err != nil {
		return h, fmt.Errorf("%s is not a run of brewput: its header cannot be read: %w", dir, err)
	}
	if h.Workload == "" {
		return h, fmt.Errorf("%s is not a run of brewput: its header names no workload; give the directory of a run",
			dir)
	}
	return h, nil
}

// useSettings replaces the settings by those of the last resumption that changed them, if the journal has any.
func (h *Header) useSettings(dir string, j *store.Journal) error {
	if j.Settings == nil {
		return nil
	}
	if err := json.Unmarshal(j.Settings, &h.Settings); err != nil {
		return fmt.Errorf("%s is not a run of brewput: the settings of its resumption cannot be read: %w", dir, err)
	}
	return nil
}

// checkStored compares the trials and interim decisions of the run directory dir with the plan in its header. See
// [Header.Check].
func (h *Header) checkStored(dir string, trials []result.Trial, blocks map[int]int, decisions []json.RawMessage,
	old bool) error {
	err := h.Check(trials, blocks, old)
	if err == nil && h.Rule != nil {
		_, err = ReadInterims(decisions)
	}
	if err != nil {
		return fmt.Errorf("%s does not fit the plan in its header: %w: it was changed, or another program wrote it; "+
			"put it back as it was, or start a new run", dir, err)
	}
	return nil
}
