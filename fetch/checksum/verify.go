package checksum

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
)

// A Verifier is a Writer that computes the digests of what is written and compares them with a File. It is not safe for concurrent use.
type Verifier struct {
	file   *File
	digest Digest
	whole  hash.Hash // nil if only pieces are stated
	piece  hash.Hash // nil if none are stated
	size   int64
	inside int64 // bytes of the current piece
	pieces int   // that are complete, perhaps more than are stated
	bad    []int // numbers of stated pieces that differ
}

// Verifier returns a Verifier for f. It computes the strongest digest, and those of the pieces. It returns an error if f states none.
func (f *File) Verifier() (*Verifier, error) {
	v := &Verifier{file: f}
	if d, ok := f.Strongest(); ok {
		v.digest, v.whole = d, d.Algorithm.New()
	}
	if len(f.Pieces.Sums) > 0 && f.Pieces.Length > 0 {
		v.piece = f.Pieces.Algorithm.New()
	}
	if v.whole == nil && v.piece == nil {
		return nil, errors.New("no digest of a known algorithm")
	}
	return v, nil
}

// Write adds bytes. It never fails.
func (v *Verifier) Write(p []byte) (int, error) {
	v.size += int64(len(p))
	if v.whole != nil {
		v.whole.Write(p)
	}
	for rest := p; v.piece != nil && len(rest) > 0; {
		n := min(int64(len(rest)), v.file.Pieces.Length-v.inside)
		v.piece.Write(rest[:n])
		rest = rest[n:]
		if v.inside += n; v.inside == v.file.Pieces.Length {
			v.endPiece()
		}
	}
	return len(p), nil
}

func (v *Verifier) endPiece() {
	if sums := v.file.Pieces.Sums; v.pieces < len(sums) && !bytes.Equal(v.piece.Sum(nil), sums[v.pieces]) {
		v.bad = append(v.bad, v.pieces)
	}
	v.piece.Reset()
	v.inside = 0
	v.pieces++
}

// Sum returns the digest of what was written, by the algorithm of the strongest digest. ok is false if there are only digests of pieces.
func (v *Verifier) Sum() (d Digest, ok bool) {
	if v.whole == nil {
		return Digest{}, false
	}
	return Digest{v.digest.Algorithm, v.whole.Sum(nil)}, true
}

// Finish returns a *Mismatch if what was written is not the file. Nothing may be written after it.
func (v *Verifier) Finish() error {
	if v.inside > 0 {
		v.endPiece()
	}
	m := &Mismatch{Size: v.size, WantSize: v.file.Size}
	got, ok := v.Sum()
	if ok && bytes.Equal(got.Sum, v.digest.Sum) {
		return nil // whatever the pieces and the size are stated to be
	}
	if m.Want, m.Got = v.digest, got; v.piece == nil {
		return m
	}
	stated := len(v.file.Pieces.Sums)
	m.Good = min(v.pieces, stated) - len(v.bad)
	for n := v.pieces; n < stated; n++ {
		v.bad = append(v.bad, n)
	}
	for _, n := range v.bad {
		m.add(v.file.pieceAt(n))
	}
	if !ok && len(v.bad) == 0 && v.pieces == stated {
		return nil
	}
	return m
}

// pieceAt returns where the nth piece is.
func (f *File) pieceAt(n int) Range {
	from := int64(n) * f.Pieces.Length
	to := from + f.Pieces.Length
	if f.Size >= 0 {
		to = min(to, max(f.Size, from))
	}
	return Range{from, to}
}

// A Range is a part of a file in bytes, [From,To).
type Range struct{ From, To int64 }

// A Mismatch is the error for bytes that are not the file that was stated.
type Mismatch struct {
	Want, Got      Digest // zero if only pieces were stated
	Size, WantSize int64  // WantSize is -1 if it was not stated
	Damaged        []Range
	Good           int // how many pieces match
}

// add adds a damaged piece, and joins it with the one before.
func (m *Mismatch) add(r Range) {
	if n := len(m.Damaged); n > 0 && m.Damaged[n-1].To == r.From {
		m.Damaged[n-1].To = r.To
		return
	}
	m.Damaged = append(m.Damaged, r)
}

// Error returns which digest differs, and where the damage is.
func (m *Mismatch) Error() string {
	s := "the pieces do not have the digests that are stated"
	switch {
	case m.WantSize >= 0 && m.Size != m.WantSize:
		s = fmt.Sprintf("got %d bytes, but %d are stated", m.Size, m.WantSize)
	case m.Want.Algorithm != "":
		s = fmt.Sprintf("%s is %s, not %s", m.Want.Algorithm, hex.EncodeToString(m.Got.Sum), hex.EncodeToString(m.Want.Sum))
	}
	if m.Good == 0 {
		return s
	}
	for i, r := range m.Damaged {
		switch {
		case i == 0:
			s += fmt.Sprintf("; bytes %d-%d", r.From, r.To-1)
		case i == 4:
			return s + fmt.Sprintf(" and %d other parts are damaged", len(m.Damaged)-i)
		default:
			s += fmt.Sprintf(", %d-%d", r.From, r.To-1)
		}
	}
	if len(m.Damaged) > 0 {
		s += " are damaged"
	}
	return s
}
