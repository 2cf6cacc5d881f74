package proc

import "bytes"

// Limited keeps the first Most bytes written to it and drops the rest, so that a child that prints without end
// cannot fill the memory. It is not safe for concurrent use; use one for each stream of an exec.Cmd.
type Limited struct {
	Most    int64
	Dropped bool // bytes were dropped

	kept bytes.Buffer // not embedded, because io.Copy would call its ReadFrom, which has no limit
}

// Write keeps p up to the limit; it never fails.
func (l *Limited) Write(p []byte) (int, error) {
	if room := l.Most - int64(l.kept.Len()); int64(len(p)) > room {
		l.Dropped = true
		l.kept.Write(p[:max(0, room)])
		return len(p), nil
	}
	return l.kept.Write(p)
}

// Bytes returns the kept bytes; they are valid until the next Write.
func (l *Limited) Bytes() []byte { return l.kept.Bytes() }

// String returns the kept text.
func (l *Limited) String() string { return l.kept.String() }
