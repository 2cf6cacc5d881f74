// Package report prints results, trials and timelines. Its API is not stable: unlike that of package lab, it may
// change in any release.
//
// The formats are tables for people, Markdown, CSV, the Go benchmark format, pictures and JSON. The package renders
// and never computes statistics. It scales units, and no other package does.
package report
