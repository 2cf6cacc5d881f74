// Corenlp fetches the files of Stanford CoreNLP that the workload corenlp needs from Maven Central, with a plain HTTP
// client: make corenlp. It continues where it was interrupted, and verifies the SHA-256 of every file. It exits with 2
// if it is used wrongly, and with 4 if a file cannot be fetched.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/brewput/brewput/endpoint/corenlp"
	"github.com/brewput/brewput/internal/interrupt"
)

// central is the Maven repository that is used by default.
const central = "https://repo.maven.apache.org/maven2"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), interrupt.Signals()...)
	defer stop()
	os.Exit(run(ctx, corenlp.Jars(), os.Args[1:], os.Stdout, os.Stderr))
}

// run fetches the files that are missing and returns the exit code.
func run(ctx context.Context, jars []corenlp.Jar, args []string, stdout, stderr io.Writer) int {
	dir, unknown := corenlp.DefaultDir()
	flags := flag.NewFlagSet("corenlp", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&dir, "dir", dir, "`DIRECTORY` of the files")
	from := flags.String("from", central, "`URL` of a Maven repository")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	switch {
	case dir == "" && unknown != nil:
		fmt.Fprintf(stderr, "corenlp: %v; give -dir DIRECTORY\n", unknown)
		return 2
	case flags.NArg() > 0 || dir == "":
		fmt.Fprintln(stderr, "corenlp: give -dir DIRECTORY and no other argument")
		return 2
	}

	f := fetcher{dir: dir, from: *from, stdout: stdout, patience: patience}
	if err := f.fetch(ctx, jars); err != nil {
		fmt.Fprintln(stderr, "corenlp:", err)
		return 4
	}
	fmt.Fprintf(stdout, "CoreNLP %s is in %s\n", corenlp.Version, dir)
	return 0
}
