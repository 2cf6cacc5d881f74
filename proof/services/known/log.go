package known

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/brewput/brewput/model"
)

// Entry is what the server knows about a request. Times are nanoseconds since the server began, by the monotonic clock.
type Entry struct {
	Request  uint64        `json:"request"`  // its number
	Epoch    int           `json:"epoch"`    // see [Handler]
	Received time.Duration `json:"received"` // when its last bytes that were read reached this host
	Arrival  time.Duration `json:"arrival"`  // when it joined the queue
	Start    time.Duration `json:"start"`    // of its service; not before the end of a pause
	Service  time.Duration `json:"service"`  // time in service without pauses, as it was in fact
	End      time.Duration `json:"end"`      // of its service
	Written  time.Duration `json:"written"`  // when the reply was given to the connection

	order int // of the arrivals
}

// Log is all that a server did, in the order of arrivals.
type Log struct {
	Config
	Lost    int // requests that were refused because the log was full
	Entries []Entry
}

// header is the first line of a stored log.
type header struct {
	Config
	Lost    int `json:"lost"`
	Entries int `json:"entries"`
}

// write writes the log as JSON lines, the header first.
func (l Log) write(w io.Writer) error {
	b := bufio.NewWriter(w)
	out := json.NewEncoder(b)
	if err := out.Encode(header{l.Config, l.Lost, len(l.Entries)}); err != nil {
		return err
	}
	for i := range l.Entries {
		if err := out.Encode(&l.Entries[i]); err != nil {
			return err
		}
	}
	return b.Flush()
}

// maxLine is the longest line of a log in bytes.
const maxLine = 4096

// ReadLog reads what the server wrote. An error names the line. It needs at most maxLine bytes beyond the log.
func ReadLog(r io.Reader) (Log, error) {
	var h header
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, maxLine), maxLine)
	if !lines.Scan() {
		return Log{}, fmt.Errorf("an empty log: %w", orUnexpectedEOF(lines.Err()))
	}
	if err := json.Unmarshal(lines.Bytes(), &h); err != nil {
		return Log{}, fmt.Errorf("line 1 of the log: %w", err)
	}
	if err := h.Validate(); err != nil {
		return Log{}, fmt.Errorf("line 1 of the log: %w", err)
	}
	l := Log{Config: h.Config, Lost: h.Lost}
	for lines.Scan() {
		var e Entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return Log{}, fmt.Errorf("line %d of the log: %w", len(l.Entries)+2, err)
		}
		if n := len(l.Entries); n > 0 && e.Arrival < l.Entries[n-1].Arrival {
			return Log{}, fmt.Errorf("line %d of the log: an arrival at %v, before the one above", n+2, e.Arrival)
		}
		l.Entries = append(l.Entries, e)
	}
	if err := lines.Err(); err != nil {
		return Log{}, fmt.Errorf("line %d of the log: %w", len(l.Entries)+2, err)
	}
	if len(l.Entries) != h.Entries {
		return Log{}, fmt.Errorf("a log of %d entries has only %d", h.Entries, len(l.Entries))
	}
	return l, nil
}

func orUnexpectedEOF(err error) error {
	if err == nil {
		return io.ErrUnexpectedEOF
	}
	return err
}

// snapshot returns the log so far. Requests that are still in the queue are not part of it.
func (q *queue) snapshot() Log {
	q.mu.Lock()
	l := Log{q.Config, q.lost, slices.Clone(q.log)}
	q.mu.Unlock()
	slices.SortFunc(l.Entries, func(a, b Entry) int { return a.order - b.order })
	return l
}

// Pauses returns the pauses that begin before a time, as [model.KieferWolfowitz] takes them, in ns.
func (c Config) Pauses(until time.Duration) (pauses []model.Pause) {
	if c.Pause == 0 {
		return nil
	}
	for at := c.Every; at < until; at += c.Every {
		pauses = append(pauses, model.Pause{From: float64(at), Length: float64(c.Pause)})
	}
	return pauses
}

// Check compares each wait and each response of the log with the recursion over its own arrivals and service times.
// They are equal to the nanosecond, or the server is not what it says.
func (l Log) Check() error {
	if len(l.Entries) == 0 {
		return nil
	}
	arrivals, services := make([]float64, len(l.Entries)), make([]float64, len(l.Entries))
	last := time.Duration(0)
	for i, e := range l.Entries {
		arrivals[i], services[i], last = float64(e.Arrival), float64(e.Service), max(last, e.End)
	}
	visits, err := model.KieferWolfowitz(arrivals, services, l.Servers, l.Pauses(last)...)
	if err != nil {
		return err
	}
	for i, e := range l.Entries {
		want := model.Visit{Wait: float64(e.Start - e.Arrival), Response: float64(e.End - e.Arrival)}
		if visits[i] != want {
			return fmt.Errorf("request %d waited %v ns and left after %v ns, but the recursion says %v and %v",
				e.Request, want.Wait, want.Response, visits[i].Wait, visits[i].Response)
		}
	}
	return nil
}
