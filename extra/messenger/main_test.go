package messenger

import (
	"flag"
	"os"
	"testing"

	"github.com/brewput/brewput/extra/remote"
)

// kills is the number of times that TestKills kills the server for each design and delivery: make messages.
var kills = flag.Int("kills", 2, "kills of the server for each design and delivery")

func TestMain(m *testing.M) {
	remote.Main(Server())
	os.Exit(m.Run())
}
