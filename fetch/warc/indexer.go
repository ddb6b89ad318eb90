package warc

import (
	"bufio"
	"crypto/sha1"
	"io"
)

// WriteIndex writes the CDXJ index of archives: a sorted line for each record that answers for a URI, in the format of pywb and warcio. It holds at
// most 4,096 lines in memory, and the others in unnamed files in dir ("" means the system's directory). damaged is called for each part of
// an archive that cannot be read; the ID of its Fault is the name of the archive.
func WriteIndex(w io.Writer, dir string, files []File, damaged func(Fault)) error {
	x := &index{dir: dir}
	defer x.drop()
	for _, f := range files {
		if err := x.addFile(f, damaged); err != nil {
			return err
		}
	}
	out := bufio.NewWriter(w)
	if err := x.merge(out); err != nil {
		return diskError(err)
	}
	return out.Flush()
}

// addFile adds the records of an archive.
func (x *index) addFile(f File, damaged func(Fault)) error {
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	return x.addRecords(f, in, damaged, func(*Record) error { return nil })
}

// addRecords adds the records of an opened archive, and calls also for each.
func (x *index) addRecords(f File, in Source, damaged func(Fault), also func(*Record) error) error {
	r := NewReader(in)
	defer r.Close()
	return r.walk(&walk{
		visit: readForIndex,
		settle: func(rec *Record) error {
			if err := x.add(rec, f.Base); err != nil {
				return diskError(err)
			}
			return also(rec)
		},
		damaged: func(at int64, err error) error {
			damaged(Fault{at, f.Name(), damageText(err)})
			return nil
		},
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
