package request

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch/wacz"
)

// spooled is a copy of standard input or of a pipe, in a directory of its own, since an archive is read in any order.
type spooled struct {
	of   string // the value of --from-warc
	name string // of the copy
}

// spoolPipe copies a pipe.
func (f *ArchiveFlags) spoolPipe(name string) (string, error) {
	in, err := flags.Open(name, nil)
	if err != nil {
		return "", err
	}
	defer in.Close()
	return f.spool(name, in)
}

// spool copies in. The name of the copy, which an index contains, has the suffix of its format.
func (f *ArchiveFlags) spool(of string, in io.Reader) (string, error) {
	dir, err := os.MkdirTemp("", "deref-")
	if err != nil {
		return "", err
	}
	from := bufio.NewReader(in)
	base := "stdin"
	if of != "-" {
		base = fmt.Sprintf("pipe-%d", len(f.spooled)+1)
	}
	name := filepath.Join(dir, base+suffixOf(from))
	f.spooled = append(f.spooled, spooled{of, name})
	to, err := os.Create(name)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(to, from)
	if err = cmp.Or(err, to.Close()); err != nil {
		return "", err
	}
	return name, nil
}

// suffixOf returns the suffix for the beginning of an archive.
func suffixOf(in *bufio.Reader) string {
	switch magic, _ := in.Peek(4); {
	case bytes.HasPrefix(magic, []byte("\x1f\x8b")):
		return ".warc.gz"
	case bytes.Equal(magic, []byte("\x28\xb5\x2f\xfd")), len(magic) == 4 && magic[0]>>4 == 5 && string(magic[1:]) == "\x2a\x4d\x18": // RFC 8878 sections 3.1.1 and 3.1.2
		return ".warc.zst"
	case wacz.IsPackage(magic):
		return ".wacz"
	}
	return ".warc"
}
