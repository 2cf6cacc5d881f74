// Package report prints rows and trials: the page for people, Markdown, CSV, the Go benchmark format
// and JSON. It renders and never computes statistics; units are scaled here and nowhere else.
package report
