package starter

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/brewput/brewput/internal/buildinfo"
)

// moduleCache is the directory of the go command's module cache, according to the environment; "" if it is not known.
func moduleCache(getenv func(string) string) string {
	if dir := getenv("GOMODCACHE"); dir != "" {
		return dir
	}
	if list := filepath.SplitList(getenv("GOPATH")); len(list) > 0 && list[0] != "" {
		return filepath.Join(list[0], "pkg", "mod")
	}
	if home, err := os.UserHomeDir(); err == nil {
		return filepath.Join(home, "go", "pkg", "mod")
	}
	return ""
}

// cached returns a build with the checksum of its module and the directory with the source of that version in a module
// cache. It returns the build as it is, and "", if the cache does not hold it, or if the version is not published. A
// program from an archive has a version, but neither checksum nor source.
func cached(b buildinfo.Build, cache string) (buildinfo.Build, string) {
	if !released(b) || cache == "" {
		return b, ""
	}
	module := filepath.FromSlash(buildinfo.Module)
	dir := filepath.Join(cache, module+"@"+b.Version)
	text, err := os.ReadFile(filepath.Join(cache, "cache", "download", module, "@v", b.Version+".ziphash"))
	sum := strings.TrimSpace(string(text))
	if err != nil || !strings.HasPrefix(sum, "h1:") || strings.ContainsAny(sum, " \t\r\n") || !isSource(dir) ||
		b.Sum != "" && b.Sum != sum {
		return b, ""
	}
	b.Sum = sum
	return b, dir
}
