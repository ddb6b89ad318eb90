// Package charset finds character sets by the labels that documents, mail and news use for them.
package charset

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// Lookup returns the encoding of a label. It returns nil for UTF-8, ASCII and unknown labels. As in browsers, Latin-1 is its superset windows-1252,
// and other sets of Windows replace the ISO and national sets that they contain.
//
// The labels are those of the Encoding Standard, and others that mail, news and old systems use. Web has only those of the Standard.
func Lookup(label string) encoding.Encoding {
	label = folded(label)
	e, err := htmlindex.Get(label)
	if err != nil {
		return unlisted(label)
	}
	switch name, _ := htmlindex.Name(e); {
	case IsASCII(label), name == UTF8:
		return nil
	case label == "utf-16", name == "utf-16be":
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	case name == "utf-16le":
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case name == "gbk":
		return simplifiedchinese.GB18030 // its decoder also decodes GBK: Encoding Standard section 10.1.1
	case label == "hz-gb-2312":
		return simplifiedchinese.HZGB2312
	case strings.HasSuffix(label, "2022kr"), strings.HasSuffix(label, "2022-kr"):
		return readOnly(newISO2022KR)
	case name == "replacement":
		return nil
	}
	return e
}

// IsASCII reports whether a label is one of ASCII. The Encoding Standard decodes such texts as windows-1252, but many of them are UTF-8.
func IsASCII(label string) bool {
	switch folded(label) {
	case "us-ascii", "ascii", "ansi_x3.4-1968", "ansi_x3.4-1986", "iso646-us", "iso_646.irv:1991", "iso-ir-6", "us", "ibm367", "cp367", "csascii":
		return true
	}
	return false
}

// IsKnown reports whether a label is known.
func IsKnown(label string) bool { return isUTF8Label(label) || IsASCII(label) || Lookup(label) != nil }

func isUTF8Label(label string) bool {
	e, err := htmlindex.Get(folded(label))
	return err == nil && e == unicode.UTF8
}

// folded removes the ASCII white space around a label and changes ASCII letters to lower case. It returns "" if others than printing characters of
// ASCII remain, which no label has.
func folded(label string) string {
	label = strings.Trim(label, " \t\n\f\r")
	if strings.ContainsFunc(label, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	return strings.ToLower(label)
}

// unlisted returns the sets with labels that browsers do not know: those of mail, news and old systems.
func unlisted(label string) encoding.Encoding {
	switch label {
	case "utf-7", "unicode-1-1-utf-7", "csunicode11utf7", "csutf7", "x-unicode-2-0-utf-7":
		return readOnly(newUTF7)
	case "utf-32", "utf-32be", "ucs-4", "iso-10646-ucs-4", "csucs4":
		return utf32.UTF32(utf32.BigEndian, utf32.UseBOM)
	case "utf-32le":
		return utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)
	case "johab", "x-johab", "ms1361":
		return readOnly(newJohab)
	case "ebcdic-cp-us", "ebcdic-cp-ca", "ebcdic-cp-wt", "ebcdic-cp-nl":
		return ebcdic{charmap.CodePage037}
	case "ebcdic-us-37+euro":
		return ebcdic{charmap.CodePage1140}
	case "x-mac-ce", "x-mac-centraleurroman", "mac-centraleurope", "maccentraleurope", "x-mac-central-europe":
		return macCE
	case "eucjp":
		return japanese.EUCJP
	case "euckr", "uhc":
		return korean.EUCKR
	case "euc-cn", "cn-gb":
		return simplifiedchinese.GB18030
	case "latin-9", "latin9":
		return charmap.ISO8859_15
	case "latin10", "l10":
		return charmap.ISO8859_16
	}
	for _, prefix := range [...]string{"iso-8859-", "iso_8859-", "iso8859-", "iso8859_", "iso8859"} {
		if part, ok := strings.CutPrefix(label, prefix); ok {
			part, _, _ = strings.Cut(part, ":") // the year: ISO_8859-10:1992
			e, _ := htmlindex.Get("iso-8859-" + part)
			return e
		}
	}
	for _, prefix := range [...]string{"csibm", "x-ibm", "ibm", "cspc", "x-cp", "cp", "dos-", "windows-", "ccsid"} {
		if number, ok := strings.CutPrefix(label, prefix); ok {
			return codePage(number)
		}
	}
	return codePage(label)
}

// codePage returns the set with a number of IBM or Microsoft. IBM writes some numbers with zeros before them.
func codePage(number string) encoding.Encoding {
	switch strings.TrimLeft(number, "0") {
	case "37":
		return ebcdic{charmap.CodePage037}
	case "437":
		return charmap.CodePage437
	case "737":
		return cp737
	case "850":
		return charmap.CodePage850
	case "852":
		return charmap.CodePage852
	case "855":
		return charmap.CodePage855
	case "857":
		return cp857
	case "858":
		return charmap.CodePage858
	case "860":
		return charmap.CodePage860
	case "862", "862latinhebrew":
		return charmap.CodePage862
	case "863":
		return charmap.CodePage863
	case "865":
		return charmap.CodePage865
	case "932":
		return japanese.ShiftJIS
	case "936":
		return simplifiedchinese.GB18030
	case "949":
		return korean.EUCKR
	case "950":
		return traditionalchinese.Big5
	case "1047":
		return ebcdic{charmap.CodePage1047}
	case "1125", "866u":
		return cp1125
	case "1140":
		return ebcdic{charmap.CodePage1140}
	case "1361":
		return readOnly(newJohab)
	case "10029":
		return macCE
	}
	return nil
}
