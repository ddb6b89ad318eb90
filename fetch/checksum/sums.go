package checksum

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"strings"
)

// maxFile bounds how much of a checksum file is read: a Metalink for a terabyte in pieces of a megabyte has 80 MB.
const maxFile = 128 << 20

// Parse reads a checksum file. Its name helps to read it: "a.iso.sha256" without a name in it is about a.iso. An entry whose algorithms are all
// unknown is omitted. It returns an error if nothing is left.
func Parse(name string, r io.Reader) ([]File, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	switch {
	case err != nil:
		return nil, err
	case len(b) > maxFile:
		return nil, errors.New("checksum file too large")
	}
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	if bytes.HasPrefix(bytes.TrimLeft(b, " \t\r\n"), []byte("<")) {
		return parseMetalink(bytes.NewReader(b))
	}
	return parseSums(name, b)
}

// parseSums reads the formats of one line for each file. Other lines are skipped: comments, and the frame of a PGP signature. A file that only
// such a line describes has no entry, so nothing is accepted for it.
func parseSums(name string, b []byte) (list []File, err error) {
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, len(b)+1)
	for lines.Scan() {
		f, ok := parseLine(strings.TrimRight(lines.Text(), "\r"))
		if !ok {
			continue
		}
		if f.Name == "" {
			f.Name = describedBy(name)
		}
		list = append(list, f)
	}
	if len(list) == 0 {
		return nil, errors.New("no checksums found")
	}
	return list, lines.Err()
}

// describedBy returns the name of the file that the checksum file name is about: "a.iso" for "dir/a.iso.sha256". It returns "" for any other name.
func describedBy(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	if i := strings.LastIndexByte(name, '.'); i > 0 && Named(strings.TrimSuffix(name[i+1:], "sum")) != "" {
		return name[:i]
	}
	return ""
}

func parseLine(line string) (File, bool) {
	line, escaped := strings.CutPrefix(line, `\`)
	f, ok := parseTagged(line)
	if !ok {
		f, ok = parseGNU(line)
	}
	if escaped {
		f.Name = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r").Replace(f.Name)
	}
	return f, ok
}

// parseGNU parses "HEX  NAME", "HEX *NAME" and "HEX".
func parseGNU(line string) (File, bool) {
	digits, name, _ := strings.Cut(strings.TrimLeft(line, " \t"), " ")
	name, isText := strings.CutPrefix(name, " ")
	if !isText {
		name = strings.TrimPrefix(name, "*")
	}
	d, err := ParseHex(OfSize(len(digits)/2), digits)
	if err != nil {
		return File{}, false
	}
	return File{Name: name, Size: -1, Digests: []Digest{d}}, true
}

// parseTagged parses "SHA256 (NAME) = HEX", as BSD and cksum write it, and "SHA2-256(NAME)= HEX" of openssl. cksum --base64 writes Base64.
func parseTagged(line string) (File, bool) {
	open, end := strings.IndexByte(line, '('), strings.LastIndexByte(line, ')')
	if open < 0 || end < open {
		return File{}, false
	}
	a := Named(line[:open])
	value, ok := strings.CutPrefix(strings.TrimSpace(line[end+1:]), "=")
	value = strings.TrimSpace(value)
	if a == "" || !ok {
		return File{}, false
	}
	d, err := ParseHex(a, value)
	if err != nil {
		d, err = parseBase64(a, value)
	}
	if err != nil {
		return File{}, false
	}
	return File{Name: line[open+1 : end], Size: -1, Digests: []Digest{d}}, true
}

func parseBase64(a Algorithm, s string) (Digest, error) {
	sum, err := base64.StdEncoding.DecodeString(s)
	if err != nil || len(sum) != a.function().size {
		return Digest{}, errors.New("not a digest in Base64")
	}
	return Digest{a, sum}, nil
}
