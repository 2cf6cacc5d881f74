// Package arch checks the architecture of the module. All of it is tests: policy_test.go holds the architecture as
// tables, and the other files check every file of the module against them.
package arch
