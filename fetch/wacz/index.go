package wacz

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"example.org/deref/fetch/internal/spill"
)

// blockLines is the number of lines in a block of a compressed index.
const blockLines = 300

// maxBlock bounds the text of a block.
const maxBlock = 16 << 20

// An Index is a sorted CDXJ file. A compressed one consists of Blocks, which are compressed each for itself (ZipNum).
type Index struct {
	Entry
	Blocks []Block // nil if it is not compressed
}

// A Block is a part of a compressed index.
type Block struct {
	Begin          string // the beginning of its first line: key and time
	Offset, Length int64  // within the Entry
}

// AddIndex adds the sorted CDXJ index of all archives, in compressed blocks, and the places of the blocks. dir is where an unnamed file for that is, ""
// the system's directory.
func (w *Writer) AddIndex(lines io.Reader, dir string) error {
	f, err := spill.Create(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	places, err := writeBlocks(f, lines)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	if err := w.add(indexName, f); err != nil {
		return err
	}
	return w.add(blocksName, bytes.NewReader(places))
}

// writeBlocks compresses the lines in blocks, and returns a line for each block: the first key and time in it, and where it is.
func writeBlocks(w io.Writer, lines io.Reader) (places []byte, err error) {
	name := path.Base(indexName)
	places = []byte(`!meta 0 {"format":"` + zipNumFormat + `","filename":"` + name + `"}` + "\n")
	in := bufio.NewReader(lines)
	at := 0
	for {
		var text, packed bytes.Buffer
		for range blockLines {
			line, err := in.ReadBytes('\n')
			if err != nil && err != io.EOF {
				return nil, err
			}
			text.Write(line)
		}
		if text.Len() == 0 {
			return places, nil
		}
		z := gzip.NewWriter(&packed)
		z.Write(text.Bytes())
		if err := z.Close(); err != nil {
			return nil, err
		}
		key, rest, _ := strings.Cut(text.String(), " ")
		stamp, _, _ := strings.Cut(rest, " ")
		sum := sha256.Sum256(packed.Bytes())
		place, err := json.Marshal(map[string]any{"offset": at, "length": packed.Len(), "digest": "sha256:" + hex.EncodeToString(sum[:]), "filename": name})
		if err != nil {
			return nil, err
		}
		places = append(append(places, key+" "+stamp+" "...), append(place, '\n')...)
		at += packed.Len()
		if _, err := w.Write(packed.Bytes()); err != nil {
			return nil, err
		}
	}
}

// readBlocks reads the places of the blocks of compressed indexes. It removes an index whose places are missing or malformed: it is only a
// help.
func (p *Package) readBlocks() {
	for i := range p.Indexes {
		x := &p.Indexes[i]
		base, isCompressed := strings.CutSuffix(x.Name, ".gz")
		if !isCompressed {
			continue
		}
		if text, err := p.read(strings.TrimSuffix(base, path.Ext(base)) + ".idx"); err == nil {
			x.Blocks = parseBlocks(string(text), x.Size)
		}
	}
	p.Indexes = slices.DeleteFunc(p.Indexes, func(x Index) bool { return x.Blocks == nil && strings.HasSuffix(x.Name, ".gz") })
}

// parseBlocks returns nil if a line is not in order, or a place is not within the index after that of the block before, since a short index could
// otherwise contain any amount of data.
func parseBlocks(text string, size int64) (list []Block) {
	end := int64(0)
	for line := range strings.Lines(text) {
		i := strings.Index(line, " {")
		if i < 0 || strings.HasPrefix(line, "!meta") {
			continue
		}
		var place struct{ Offset, Length int64 }
		if json.Unmarshal([]byte(line[i+1:]), &place) != nil || place.Offset < end || place.Length <= 0 || place.Offset > size-place.Length ||
			len(list) > 0 && line[:i] < list[len(list)-1].Begin {
			return nil
		}
		list = append(list, Block{line[:i], place.Offset, place.Length})
		end = place.Offset + place.Length
	}
	return list
}

// From calls do for the lines of a compressed index in r from the first that is not less than from on, until do returns false.
func (x *Index) From(r io.ReaderAt, from string, do func(line string) bool) error {
	first, _ := slices.BinarySearchFunc(x.Blocks, from, func(b Block, s string) int { return strings.Compare(b.Begin, s) })
	for _, b := range x.Blocks[max(first-1, 0):] {
		z, err := gzip.NewReader(io.NewSectionReader(r, b.Offset, b.Length))
		if err != nil {
			return err
		}
		text, err := io.ReadAll(io.LimitReader(z, maxBlock+1))
		if err == nil && len(text) > maxBlock {
			err = fmt.Errorf("a block of more than %d bytes", maxBlock)
		}
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimRight(line, "\r\n"); line >= from && !do(line) {
				return nil
			}
		}
	}
	return nil
}
