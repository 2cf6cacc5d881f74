// Package corenlp measures the parser server of Stanford CoreNLP, as an example of a service that is not written in Go.
//
// Each trial of the workload starts a server of its own by package endpoint, with the heap and the threads of its
// point, and ends it. Every reply is compared with the stored parses of version 4.5.7: part-of-speech tags,
// constituency tree and dependencies. A different parse is a wrong answer. The sentences are questions and statements
// of several lengths; the trees of the questions have SBARQ below the root.
//
// The program tools/corenlp fetches the files of CoreNLP. Package standin imitates the server for tests.
package corenlp
