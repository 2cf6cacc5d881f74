// Package manual only has a test, which executes the commands of the manual. Each chapter changes the directory and the
// environment of the process, so no two run at once; as a package of its own, they run at the same time as the tests of
// package cli.
package manual
