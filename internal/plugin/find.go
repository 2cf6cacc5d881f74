package plugin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/brewput/brewput/internal/proc"
)

// Variable is the environment variable with the absolute path of the program, or of its directory.
const Variable = "BREWPUT_PLUGINS"

// ErrAbsent means that the program is not installed.
var ErrAbsent = errors.New(Name + " is not installed")

// Find returns the path of the program: the file in [Variable], or the file of its name in the directory there; without
// the variable, the file next to the executable file of this program. It never looks in the working directory or in
// PATH. The error matches [ErrAbsent] if there is no such file and no variable, and otherwise names the file that
// cannot be used, such as one that every user can change.
func Find() (string, error) {
	exe, err := os.Executable()
	if err == nil {
		exe, err = filepath.EvalSymlinks(exe)
	}
	if err != nil {
		exe = ""
	}
	return find(os.Getenv(Variable), exe)
}

// find is Find with the value of the variable and the executable file of this program, which may be "".
func find(variable, exe string) (string, error) {
	if variable != "" {
		return given(variable)
	}
	if exe == "" {
		return "", ErrAbsent
	}
	path := filepath.Join(filepath.Dir(exe), fileName())
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", ErrAbsent
	}
	if err := usable(path); err != nil {
		return path, err
	}
	return path, private(filepath.Dir(path))
}

// fileName is the name of the program's file.
func fileName() string {
	if runtime.GOOS == "windows" {
		return Name + ".exe"
	}
	return Name
}

// given returns the path that the variable names.
func given(variable string) (string, error) {
	if !filepath.IsAbs(variable) {
		return "", fmt.Errorf("%s=%s is a relative path, which names another file in each directory; give the "+
			"absolute path of %s or of its directory", Variable, variable, Name)
	}
	info, err := os.Stat(variable)
	if err != nil {
		return "", fmt.Errorf("%s: %w; give the path of %s or of its directory, or unset it", Variable, err, Name)
	}
	path := filepath.Clean(variable)
	if info.IsDir() {
		path = filepath.Join(path, fileName())
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("there is no %s in %s=%s; build it there or unset the variable: %s", fileName(),
				Variable, variable, Build)
		}
	}
	return path, usable(path)
}

// usable returns an error if a file cannot be executed.
func usable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fmt.Errorf("%w; remove it or build it again: %s", err, Build)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file; remove it or build the program: %s", path, Build)
	case runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
		return fmt.Errorf("%s is not executable; type chmod +x %[1]s, or build it again: %s", path, Build)
	case !proc.Trusted(info):
		return fmt.Errorf("%s belongs to another user, who could change it; build it again as this user: %s", path,
			Build)
	}
	return private(path)
}

// private returns an error if every user may write to a file or directory.
func private(path string) error {
	info, err := os.Stat(path)
	if err == nil && runtime.GOOS != "windows" && info.Mode()&0o002 != 0 {
		return fmt.Errorf("every user can write to %s, and so replace the program; type chmod o-w %[1]s, or move the "+
			"program to another directory", path)
	}
	return err
}
