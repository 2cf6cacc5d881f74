// Package plugin joins the designs of another program, brewput-extra, to the workloads of this one. The program is a
// module of its own, so that this one does not compile what it uses, such as databases.
//
// This program starts the other one with [Sentinel] in its environment. [Main] answers with a [Manifest]: the versions
// of the protocol and of Brewput, and the designs. Trials of such a design run in the other program, as package trial
// describes.
package plugin

// Sentinel is the environment variable that asks a program for its manifest. Its value is the version of the protocol,
// a space, and the version of the program that asks.
const Sentinel = "BREWPUT_EXTRA"

// Protocol is the version of the manifest and of the protocol of trials.
const Protocol = 1

// Name is the name of the program.
const Name = "brewput-extra"

// Build is how to build the program.
const Build = "make extra, in a checkout of Brewput"
