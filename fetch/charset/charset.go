// Package charset finds character sets by the labels that documents, mail and news use for them.
package charset

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
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
	if e := standard(label); e != nil {
		return e
	}
	return unwritten(label)
}

// standard returns the encodings of the Standard, and those of similar labels.
func standard(label string) encoding.Encoding {
	switch label {
	case "iso-8859-1", "latin1", "l1", "iso_8859-1", "iso_8859-1:1987", "iso8859-1", "iso88591", "iso-ir-100", "csisolatin1", "ibm819", "cp819",
		"windows-1252", "cp1252", "x-cp1252":
		return charmap.Windows1252
	case "windows-1250", "cp1250", "x-cp1250":
		return charmap.Windows1250
	case "windows-1251", "cp1251", "x-cp1251":
		return charmap.Windows1251
	case "windows-1253", "cp1253", "x-cp1253":
		return charmap.Windows1253
	case "windows-1254", "cp1254", "x-cp1254", "iso-8859-9", "iso_8859-9", "iso_8859-9:1989", "iso8859-9", "iso88599", "latin5", "l5", "iso-ir-148", "csisolatin5":
		return charmap.Windows1254
	case "windows-1255", "cp1255", "x-cp1255":
		return charmap.Windows1255
	case "windows-1256", "cp1256", "x-cp1256":
		return charmap.Windows1256
	case "windows-1257", "cp1257", "x-cp1257":
		return charmap.Windows1257
	case "windows-1258", "cp1258", "x-cp1258":
		return charmap.Windows1258
	case "windows-874", "dos-874", "tis-620", "iso-8859-11", "iso8859-11", "iso885911":
		return charmap.Windows874
	case "utf-16", "utf-16be", "unicodefffe":
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	case "utf-16le", "csunicode", "iso-10646-ucs-2", "ucs-2", "unicode", "unicodefeff":
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	}
	if e := eastAsian(label); e != nil {
		return e
	}
	if e := computer(label); e != nil {
		return e
	}
	return latin(label)
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
func IsKnown(label string) bool {
	switch folded(label) {
	case "utf-8", "utf8", "unicode-1-1-utf-8", "unicode11utf8", "unicode20utf8", "x-unicode20utf8":
		return true
	}
	return IsASCII(label) || Lookup(label) != nil
}

// folded removes the ASCII white space around a label and changes ASCII letters to lower case. Labels have no other letters.
func folded(label string) string {
	b := []byte(strings.Trim(label, " \t\n\f\r"))
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// unwritten returns the sets of mail and news that nobody writes any more, and that browsers do not know.
func unwritten(label string) encoding.Encoding {
	switch label {
	case "utf-7", "unicode-1-1-utf-7", "csunicode11utf7", "csutf7", "x-unicode-2-0-utf-7":
		return readOnly(newUTF7)
	case "utf-32", "utf-32be", "ucs-4", "iso-10646-ucs-4", "csucs4":
		return utf32.UTF32(utf32.BigEndian, utf32.UseBOM)
	case "utf-32le":
		return utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)
	case "iso-2022-kr", "csiso2022kr":
		return readOnly(newISO2022KR)
	case "johab", "ms1361", "cp1361", "windows-1361", "x-johab":
		return readOnly(newJohab)
	case "ibm037", "cp037", "037", "csibm037", "ebcdic-cp-us", "ebcdic-cp-ca", "ebcdic-cp-wt", "ebcdic-cp-nl":
		return ebcdic{charmap.CodePage037}
	case "ibm1047", "cp1047", "1047", "csibm1047":
		return ebcdic{charmap.CodePage1047}
	case "ibm1140", "ibm01140", "cp1140", "cp01140", "1140", "ccsid01140", "csibm01140", "ebcdic-us-37+euro":
		return ebcdic{charmap.CodePage1140}
	case "ibm737", "cp737", "737", "x-ibm737":
		return cp737
	case "ibm855", "cp855", "855", "csibm855":
		return charmap.CodePage855
	case "ibm857", "cp857", "857", "csibm857":
		return cp857
	case "ibm860", "cp860", "860", "csibm860":
		return charmap.CodePage860
	case "ibm862", "cp862", "862", "cspc862latinhebrew", "dos-862":
		return charmap.CodePage862
	case "ibm863", "cp863", "863", "csibm863":
		return charmap.CodePage863
	case "ibm865", "cp865", "865", "csibm865":
		return charmap.CodePage865
	case "cp1125", "ibm1125", "1125", "cp866u", "x-cp1125":
		return cp1125
	case "x-mac-ce", "x-mac-centraleurroman", "mac-centraleurope", "maccentraleurope", "x-mac-central-europe", "cp10029":
		return macCE
	}
	return nil
}

// eastAsian returns the sets with several bytes per character.
func eastAsian(label string) encoding.Encoding {
	switch label {
	case "iso-2022-jp", "csiso2022jp":
		return japanese.ISO2022JP
	case "shift_jis", "shift-jis", "sjis", "x-sjis", "ms_kanji", "csshiftjis", "windows-31j", "ms932", "cp932":
		return japanese.ShiftJIS
	case "euc-jp", "eucjp", "x-euc-jp", "cseucpkdfmtjapanese":
		return japanese.EUCJP
	case "euc-kr", "euckr", "cseuckr", "korean", "csksc56011987", "iso-ir-149", "ks_c_5601-1987", "ks_c_5601-1989", "ksc5601", "ksc_5601", "windows-949", "cp949", "uhc":
		return korean.EUCKR
	case "gb18030", "gbk", "x-gbk", "gb2312", "gb_2312", "gb_2312-80", "csgb2312", "csiso58gb231280", "iso-ir-58", "chinese", "euc-cn", "cp936", "windows-936", "cn-gb":
		return simplifiedchinese.GB18030 // its decoder also decodes GBK: Encoding Standard section 10.1.1
	case "hz-gb-2312":
		return simplifiedchinese.HZGB2312
	case "big5", "big5-hkscs", "cn-big5", "csbig5", "x-x-big5", "cp950":
		return traditionalchinese.Big5
	}
	return nil
}

// computer returns the sets of computers and operating systems.
func computer(label string) encoding.Encoding {
	switch label {
	case "koi8-r", "koi8", "koi", "koi8_r", "cskoi8r":
		return charmap.KOI8R
	case "koi8-u", "koi8-ru":
		return charmap.KOI8U
	case "macintosh", "mac", "x-mac-roman", "csmacintosh":
		return charmap.Macintosh
	case "x-mac-cyrillic", "x-mac-ukrainian":
		return charmap.MacintoshCyrillic
	case "x-user-defined":
		return charmap.XUserDefined
	case "ibm437", "cp437", "437":
		return charmap.CodePage437
	case "ibm850", "cp850", "850":
		return charmap.CodePage850
	case "ibm852", "cp852", "852":
		return charmap.CodePage852
	case "ibm858", "cp858", "ibm00858":
		return charmap.CodePage858
	case "ibm866", "cp866", "866", "csibm866":
		return charmap.CodePage866
	}
	return nil
}

// latin returns the other parts of ISO 8859, by number and by alphabet.
func latin(label string) encoding.Encoding {
	for _, prefix := range [...]string{"iso-8859-", "iso_8859-", "iso8859-", "iso8859_", "iso8859"} {
		if part, ok := strings.CutPrefix(label, prefix); ok {
			part, _, _ = strings.Cut(part, ":") // the year: ISO_8859-2:1987
			return part8859(part)
		}
	}
	switch label {
	case "latin2", "l2", "iso-ir-101", "csisolatin2":
		return charmap.ISO8859_2
	case "latin3", "l3", "iso-ir-109", "csisolatin3":
		return charmap.ISO8859_3
	case "latin4", "l4", "iso-ir-110", "csisolatin4":
		return charmap.ISO8859_4
	case "cyrillic", "iso-ir-144", "csisolatincyrillic":
		return charmap.ISO8859_5
	case "arabic", "asmo-708", "ecma-114", "iso-ir-127", "csisolatinarabic", "csiso88596e", "csiso88596i":
		return charmap.ISO8859_6
	case "greek", "greek8", "ecma-118", "elot_928", "iso-ir-126", "csisolatingreek", "sun_eu_greek":
		return charmap.ISO8859_7
	case "hebrew", "visual", "logical", "iso-ir-138", "csisolatinhebrew", "csiso88598e", "csiso88598i":
		return charmap.ISO8859_8
	case "latin6", "l6", "iso-ir-157", "csisolatin6":
		return charmap.ISO8859_10
	case "latin-9", "latin9", "l9", "csisolatin9":
		return charmap.ISO8859_15
	case "latin10", "l10":
		return charmap.ISO8859_16
	}
	return nil
}

func part8859(part string) encoding.Encoding {
	switch part {
	case "2":
		return charmap.ISO8859_2
	case "3":
		return charmap.ISO8859_3
	case "4":
		return charmap.ISO8859_4
	case "5":
		return charmap.ISO8859_5
	case "6", "6-e", "6-i":
		return charmap.ISO8859_6
	case "7":
		return charmap.ISO8859_7
	case "8", "8-e", "8-i":
		return charmap.ISO8859_8
	case "10":
		return charmap.ISO8859_10
	case "13":
		return charmap.ISO8859_13
	case "14":
		return charmap.ISO8859_14
	case "15":
		return charmap.ISO8859_15
	case "16":
		return charmap.ISO8859_16
	}
	return nil
}
