// Package report prints rows, trials and timelines: the page for people, Markdown, CSV, the Go benchmark format, pictures
// and JSON. It renders and never computes statistics; units are scaled here and nowhere else.
package report
