package endpoint

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brewput/brewput/workload"
)

// files returns the paths of the files that options and targets name, with the programs of servers. The key of a
// certificate is left out, because checksums are stored.
func (set *settings) files() []string {
	return slices.Concat(givenFiles(set.given), set.bodies, programs(set.servers()))
}

// givenFiles returns the paths of the files that options name.
func givenFiles(v workload.Given) (list []string) {
	for _, name := range []string{"body-file", "targets", "data-file", "descriptor-set", "ca-file", "cert"} {
		if v.Get(name) != "" {
			list = append(list, v.Get(name))
		}
	}
	return list
}

// programs returns the paths of the programs that start servers.
func programs(servers []named) (list []string) {
	for _, s := range servers {
		words := s.start
		if len(words) > 1 && filepath.Base(words[0]) == "env" { // as in env -i NAME=VALUE PROGRAM
			words = words[1:]
			for len(words) > 1 && (strings.HasPrefix(words[0], "-") || strings.Contains(words[0], "=")) {
				words = words[1:]
			}
		}
		if len(words) == 0 {
			continue
		}
		if path, err := exec.LookPath(words[0]); err == nil {
			list = append(list, path)
		} else if strings.ContainsRune(words[0], filepath.Separator) {
			list = append(list, words[0]) // which is no program now
		}
	}
	return list
}
