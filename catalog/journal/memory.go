package journal

import (
	"slices"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newMemory keeps the entries in a slice under a lock. Its entries end with the process.
func newMemory(e env.Env, p plan.Point) (workload.Job, error) { return newJob(e, p, None, openMemory) }

func openMemory(e env.Env, _ string, _ plan.Point) (Log, error) {
	return &memory{lock: e.Mutex("log")}, nil
}

// memory is a log without a file.
type memory struct {
	lock    *env.Mutex
	entries [][]byte
}

func (m *memory) Append(data []byte) (uint64, error) {
	if err := CheckSize(data); err != nil {
		return 0, err
	}
	data = slices.Clone(data)
	m.lock.Lock()
	m.entries = append(m.entries, data)
	index := uint64(len(m.entries))
	m.lock.Unlock()
	return index, nil
}

func (m *memory) Get(index uint64) ([]byte, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	if index-1 >= uint64(len(m.entries)) {
		return nil, notFound(index, len(m.entries))
	}
	return slices.Clone(m.entries[index-1]), nil
}

// Flush has nothing to write.
func (m *memory) Flush() error { return nil }

func (m *memory) Close() error { return nil }
