package words

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// generated returns the path of a file of random words with that size in bytes, and its number of words. The file is
// kept in the cache directory. Its name contains the number of words, so it is renamed only when it is complete.
func generated(size int64) (path string, words int, err error) {
	if size < 0 {
		return "", 0, fmt.Errorf("a file of %d bytes cannot be made", size)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", 0, fmt.Errorf("there is no cache directory for the generated file: %w; set file to one", err)
	}
	dir := filepath.Join(cache, "brewput", "data")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", 0, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", 0, err
	}
	prefix := fmt.Sprintf("words-%d-", size)
	for _, e := range entries {
		number, ours := strings.CutPrefix(e.Name(), prefix)
		n, err := strconv.Atoi(strings.TrimSuffix(number, ".txt"))
		if info, failed := e.Info(); ours && err == nil && failed == nil && info.Size() == size {
			return filepath.Join(dir, e.Name()), n, nil
		}
	}
	return store(dir, filepath.Join(dir, prefix), size)
}

// store writes the file under a temporary name and renames it.
func store(dir, prefix string, size int64) (path string, words int, err error) {
	f, err := os.CreateTemp(dir, "making-*")
	if err != nil {
		return "", 0, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	out := bufio.NewWriterSize(f, 1<<16)
	if words, err = write(out, size); err != nil {
		return "", 0, err
	}
	if err := out.Flush(); err != nil {
		return "", 0, err
	}
	if err := f.Close(); err != nil {
		return "", 0, err
	}
	path = prefix + strconv.Itoa(words) + ".txt"
	return path, words, os.Rename(f.Name(), path)
}

// write writes words of that total size and returns their number, which is the same by every rule and in every locale.
func write(w io.Writer, size int64) (words int, err error) {
	draw := draws(1)
	token := make([]byte, 0, 64)
	for left := size; left > 0; left -= int64(len(token)) {
		x := draw()
		token = token[:0]
		for n := 1 + int(x%9); n > 0; n-- { // five letters on average, as in English
			x >>= 5
			token = append(token, 'a'+byte(x%26))
		}
		switch mark := x >> 5 % 64; {
		case mark < 6:
			token = append(token, ",.;:!?"[mark])
		case mark == 6:
			token[0] -= 'a' - 'A'
		}
		token = append(token, "          \n\n\t\r"[x>>12%14])
		if x>>20%32 == 0 {
			token = append(token, "\n   "...)
		}
		if int64(len(token)) > left { // the last word, without a space after it
			token = append(token[:0], "abcdefghijklmnopqrstuvwxyz"[:left]...)
		}
		words++
		if _, err := w.Write(token); err != nil {
			return 0, err
		}
	}
	return words, nil
}

// draws returns the generator SplitMix64 (Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, 2014).
func draws(seed uint64) func() uint64 {
	return func() uint64 {
		seed += 0x9e3779b97f4a7c15
		x := seed
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		return x ^ x>>31
	}
}
