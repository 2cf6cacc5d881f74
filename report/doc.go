// Package report prints rows, trials and timelines: the page for people, Markdown, CSV, the Go benchmark format,
// pictures and JSON. Its API is not stable yet, unlike that of package lab. It renders and never computes
// statistics; units are scaled here and nowhere else.
package report
