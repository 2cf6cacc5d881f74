package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"io"
	"io/fs"
	"path"
	"time"
)

// file is a file of an archive.
type file struct {
	name string // with slashes
	mode fs.FileMode
	data []byte
}

// readTree reads the regular files of a tree. Their names begin with a prefix. Anything that is neither a regular
// file nor a directory is an error, because an archive would lose it.
func readTree(root fs.FS, prefix string) (files []file, err error) {
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			return &fs.PathError{Op: "archive", Path: name, Err: fs.ErrInvalid}
		}
		data, err := fs.ReadFile(root, name)
		files = append(files, file{name: path.Join(prefix, name), mode: 0o644, data: data})
		return err
	})
	return files, err
}

// writeTarGz writes a compressed tar archive. Its bytes depend on the arguments only: it has no owner, and the time of
// every file is made.
func writeTarGz(w io.Writer, files []file, made time.Time) error {
	zw, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	tw := tar.NewWriter(zw)
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: int64(f.mode.Perm()), Size: int64(len(f.data)),
			ModTime: made, Format: tar.FormatPAX}
		if err := tw.WriteHeader(h); err != nil {
			return err
		}
		if _, err := tw.Write(f.data); err != nil {
			return err
		}
	}
	if err := tw.Close(); err != nil {
		return err
	}
	return zw.Close()
}

// writeZip writes a zip archive. Its bytes depend on the arguments only.
func writeZip(w io.Writer, files []file, made time.Time) error {
	zw := zip.NewWriter(w)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: made.UTC()}
		h.SetMode(f.mode)
		fw, err := zw.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := fw.Write(f.data); err != nil {
			return err
		}
	}
	return zw.Close()
}
