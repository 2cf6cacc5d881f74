package proc

import "bytes"

// Limited keeps what is written to it up to Most bytes and drops the rest, so that a child that prints without end cannot
// fill the memory. It is for one writer at a time, such as a stream of an exec.Cmd.
type Limited struct {
	Most    int64
	Dropped bool // there was more
	bytes.Buffer
}

func (l *Limited) Write(p []byte) (int, error) {
	if room := l.Most - int64(l.Len()); int64(len(p)) > room {
		l.Dropped = true
		l.Buffer.Write(p[:max(0, room)])
		return len(p), nil
	}
	return l.Buffer.Write(p)
}
