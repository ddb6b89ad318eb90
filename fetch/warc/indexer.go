package warc

import (
	"bufio"
	"cmp"
	"crypto/sha1"
	"io"
	"strings"

	"example.org/deref/fetch/internal/cdx"
)

// WriteIndex writes the CDXJ index of archives: a sorted line for each record that answers for a URI, in the format of pywb and warcio. It holds at
// most 512 KiB of them in memory, and the others in unnamed files in dir ("" means the system's directory). damaged is called for each part of
// an archive that cannot be read; the ID of its Fault is the name of the archive.
func WriteIndex(w io.Writer, dir string, files []File, damaged func(Fault)) error {
	x := newIndex(dir)
	defer x.Close()
	for _, f := range files {
		if err := x.addRecords(f, damaged, nil); err != nil {
			return err
		}
	}
	return x.Write(w)
}

// MergeIndexes is WriteIndex with two differences. It reads the index next to an archive, if that is usable, in place of the archive; a file may
// also be an index (.cdxj) itself. And it calls keep for each record, with the target and place of its StoredRecord, in the order of the lines,
// and omits those for which keep returns false. It returns the number of lines.
func MergeIndexes(w io.Writer, dir string, files []File, keep func(target, file string, offset int64) bool, damaged func(Fault)) (lines int64, err error) {
	x := newIndex(dir)
	defer x.Close()
	for _, f := range files {
		from := openIndex(f)
		if isIndexName(f.Path) {
			from = &indexFile{file: f}
		}
		if from != nil {
			err = x.addIndex(from)
		} else {
			err = x.addRecords(f, damaged, nil)
		}
		if err != nil {
			return 0, err
		}
	}
	out := bufio.NewWriter(w)
	err = x.Each(func(line string) error {
		e, ok := cdx.Parse(line)
		if !ok || !keep(strings.TrimPrefix(e.URL, dialoguePrefix), e.Filename, int64(e.Offset)) {
			return nil
		}
		lines++
		_, err := out.WriteString(line)
		return err
	})
	return lines, diskError(cmp.Or(err, out.Flush()))
}

// addIndex adds the lines of an index.
func (x *index) addIndex(from *indexFile) (err error) {
	eerr := from.each("", func(line string) bool {
		if _, ok := cdx.Parse(line); ok { // else it is a header
			err = x.Add(line)
		}
		return err == nil
	})
	return cmp.Or(eerr, diskError(err))
}

// addRecords adds the records of an archive, and calls also, if it is not nil, for each.
func (x *index) addRecords(f File, damaged func(Fault), also func(*Record) error) error {
	return f.walk(func(*Reader) *walk {
		return &walk{
			visit: readForIndex,
			settle: func(rec *Record) error {
				if err := x.add(rec, f.Base); err != nil || also == nil {
					return diskError(err)
				}
				return also(rec)
			},
			damaged: func(at int64, err error) { damaged(Fault{at, f.Name(), damageText(err)}) },
		}
	})
}

// damageText describes an error of Next.
func damageText(err error) string {
	if ferr, ok := err.(*FormatError); ok {
		return ferr.Text
	}
	return "the archive ends within a record"
}

// readForIndex reads the block of r and sets the fields for the index. It computes a missing digest, since readers find the payloads of revisits by
// them.
func readForIndex(r *Record) error {
	payload := r.readEntry(r)
	sum := sha1.New()
	n, err := int64(0), error(nil)
	kind := r.Type()
	lacks := r.Fields.Get("WARC-Payload-Digest") == "" && (kind == Response || kind == Resource)
	if lacks {
		n, err = io.Copy(sum, payload)
	}
	if _, rerr := io.Copy(io.Discard, r.Block); rerr != nil {
		return rerr
	}
	if lacks && err == nil {
		r.Fields.add("WARC-Payload-Digest", payloadDigest{[sha1.Size]byte(sum.Sum(nil)), n}.String())
	}
	return nil
}
