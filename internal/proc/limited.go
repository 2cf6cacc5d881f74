package proc

import "bytes"

// Limited keeps what is written to it up to Most bytes and drops the rest, so that a child that prints without end
// cannot fill the memory. It is for one writer at a time, such as a stream of an exec.Cmd.
type Limited struct {
	Most    int64
	Dropped bool // there was more

	kept bytes.Buffer // not embedded: io.Copy would call its ReadFrom, which has no limit
}

func (l *Limited) Write(p []byte) (int, error) {
	if room := l.Most - int64(l.kept.Len()); int64(len(p)) > room {
		l.Dropped = true
		l.kept.Write(p[:max(0, room)])
		return len(p), nil
	}
	return l.kept.Write(p)
}

// Bytes is what was kept, until the next Write.
func (l *Limited) Bytes() []byte { return l.kept.Bytes() }

// String is what was kept.
func (l *Limited) String() string { return l.kept.String() }
