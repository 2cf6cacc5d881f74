package remote_test

import (
	"bufio"
	"context"
	"fmt"

	"github.com/brewput/brewput/extra/remote"
)

// The main function of this program calls remote.Main with a server named echo. Here it runs in a process of its own,
// on a Unix socket with TLS, and is killed.
func Example() {
	keys, err := remote.NewKeys()
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := remote.Start(remote.Config{Server: "echo", Network: "unix", Keys: keys})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Stop()
	c, err := p.Endpoint().Dial(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	in := bufio.NewScanner(c)
	in.Scan() // its process ID and arguments
	fmt.Fprintln(c, "one")
	in.Scan()
	fmt.Println(in.Text())
	fmt.Println(p.Kill())
	fmt.Println(in.Scan())
	// Output:
	// one
	// <nil>
	// false
}
