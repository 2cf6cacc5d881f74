// Package quote makes text from outside harmless for one output: a terminal, Markdown, CSV, JSON, XML or the Go
// benchmark format. Names of benchmarks, functions, files and units, lines of a file or journal, what a program
// printed, flags, and environment variables are from outside: they may hold escape sequences, bidirectional controls
// or markup, on purpose or not.
//
// What a terminal could act on or hide is written as in a Go string literal: \x1b, \u202e, \U000e0041, and \xff for a
// byte that is no UTF-8. That covers the C0 and C1 controls, DEL, bidirectional controls, zero-width characters, line
// and paragraph separators, spaces other than U+0020, private-use and unassigned characters. The result is printable,
// so that Width counts its columns. JSON has \u escapes instead, and the value of its strings does not change.
//
// A backslash stays as it is: text that looks like an escape is harmless. All functions are pure and idempotent
// unless they say otherwise. A program's own escape sequences are added after quoting.
package quote
