// Package quote escapes untrusted text for one output: a terminal, Markdown, CSV, JSON, XML or the Go benchmark
// format. Untrusted are names of benchmarks, functions, files and units, lines of a file or journal, output of
// programs, flags and environment variables. They may contain escape sequences, bidirectional controls or
// markup, on purpose or not.
//
// Characters that a terminal could act on or hide are written as in a Go string literal: \x1b, \u202e,
// \U000e0041, and \xff for a byte that is not valid UTF-8. These are the C0 and C1 controls, DEL, bidirectional
// controls, zero-width characters, line and paragraph separators, spaces other than U+0020, and private-use and
// unassigned characters. The result is printable, so that Width counts its columns. JSON uses \u escapes
// instead, which do not change the values of its strings.
//
// A backslash stays as it is: text that looks like an escape is harmless. All functions are pure, and
// idempotent unless documented otherwise. The program adds its own escape sequences after quoting.
package quote
