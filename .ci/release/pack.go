//go:build ignore

// Pack writes a directory into an archive that depends on nothing but names, contents and SOURCE_DATE_EPOCH:
//
//	pack DIRECTORY [FILE.tar.gz|FILE.zip]
//
// It sets the times and modes of the files in DIRECTORY; without an archive it does only that.
package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	if err := run(os.Args[1:]); err != nil {
		log.Fatal("pack: ", err)
	}
}

func run(args []string) error {
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	if len(args) < 1 || len(args) > 2 {
		return fmt.Errorf("got %d arguments, want DIRECTORY [FILE]", len(args))
	}
	dir, at := args[0], time.Unix(seconds, 0).UTC()
	if err := normalize(dir, at); err != nil || len(args) == 1 {
		return err
	}
	f, err := os.Create(args[1])
	if err != nil {
		return err
	}
	defer f.Close()
	if strings.HasSuffix(args[1], ".zip") {
		err = writeZip(f, dir, at)
	} else {
		err = writeTar(f, dir, at)
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// mode returns 0755 for directories and programs, 0644 for other files.
func mode(name string, isDir bool) fs.FileMode {
	switch strings.TrimSuffix(filepath.Base(name), ".exe") {
	case "deref", "deref-browse":
		return 0o755
	}
	if isDir {
		return 0o755
	}
	return 0o644
}

func normalize(dir string, at time.Time) error {
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			err = os.Chmod(name, mode(name, d.IsDir() || name == dir))
		}
		if err == nil {
			err = os.Chtimes(name, at, at)
		}
		return err
	})
}

// each calls add for every file below dir in lexical order, with its name in the archive.
func each(dir string, add func(name string, size int64, mode fs.FileMode, in io.Reader) error) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(filepath.Dir(dir), path)
		if err != nil {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		return add(filepath.ToSlash(rel), info.Size(), mode(path, false), f)
	})
}

func writeTar(w io.Writer, dir string, at time.Time) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	out := tar.NewWriter(z)
	err = each(dir, func(name string, size int64, mode fs.FileMode, in io.Reader) error {
		h := &tar.Header{Name: name, Size: size, Mode: int64(mode), ModTime: at, Uname: "root", Gname: "root", Format: tar.FormatUSTAR}
		if err := out.WriteHeader(h); err != nil {
			return err
		}
		_, err := io.Copy(out, in)
		return err
	})
	if err == nil {
		err = out.Close()
	}
	if err == nil {
		err = z.Close()
	}
	return err
}

func writeZip(w io.Writer, dir string, at time.Time) error {
	out := zip.NewWriter(w)
	err := each(dir, func(name string, _ int64, mode fs.FileMode, in io.Reader) error {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: at}
		h.SetMode(mode)
		f, err := out.CreateHeader(h)
		if err == nil {
			_, err = io.Copy(f, in)
		}
		return err
	})
	if err == nil {
		err = out.Close()
	}
	return err
}
