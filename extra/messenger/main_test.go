package messenger

import (
	"os"
	"testing"

	"github.com/brewput/brewput/extra/remote"
)

func TestMain(m *testing.M) {
	remote.Main(Server())
	os.Exit(m.Run())
}
