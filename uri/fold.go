package uri

import "bytes"

func (r *Rules) fold(f Fold) bool { return r != nil && r.Fold&f != 0 }

// foldPath changes the parts of a canonical path in which case does not matter to lower case.
func (n *normalizer) foldPath(p []byte) {
	if n.rules.fold(FoldPrefix) || n.mode == RFC2141 { // RFC 2141 §5
		lowerAll(p[:max(0, bytes.IndexByte(p, ':'))])
	}
	if n.rules.fold(FoldDomain) {
		foldDomains(p)
	}
}

// foldDomains changes the text after the last "@" of each address to lower case. A comma ends an address (RFC 6068 §2).
func foldDomains(p []byte) {
	for len(p) > 0 {
		e := bytes.IndexByte(p, ',')
		if e < 0 {
			e = len(p)
		}
		if at := bytes.LastIndexByte(p[:e], '@'); at >= 0 {
			lowerAll(p[at:e])
		}
		p = p[min(e+1, len(p)):]
	}
}

// lowerAll changes b to lower case, except the digits of escapes.
func lowerAll(b []byte) {
	for i := 0; i < len(b); i++ {
		if b[i] == '%' {
			i += 2
			continue
		}
		b[i] = lower(b[i])
	}
}
