package charset

import (
	"slices"
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

// charsets has a row for each charset: its name in named, its other labels in the Encoding Standard (section 4.2) and, after "|", those that only
// mail, news and old systems use. A row without labels before "|" is one that browsers do not know. Those of ISO-2022-CN, which nothing here
// decodes, are missing.
var charsets = [...]string{
	"utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8",
	"us-ascii ansi_x3.4-1968 ascii | ansi_x3.4-1986 iso646-us iso_646.irv:1991 iso-ir-6 us ibm367 cp367 csascii",
	"windows-1252 cp1252 x-cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1",
	"windows-1250 cp1250 x-cp1250",
	"windows-1251 cp1251 x-cp1251",
	"windows-1253 cp1253 x-cp1253",
	"windows-1254 cp1254 x-cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5",
	"windows-1255 cp1255 x-cp1255",
	"windows-1256 cp1256 x-cp1256",
	"windows-1257 cp1257 x-cp1257",
	"windows-1258 cp1258 x-cp1258",
	"windows-874 dos-874 iso-8859-11 iso8859-11 iso885911 tis-620",
	"iso-8859-2 csisolatin2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2 | iso8859_2",
	"iso-8859-3 csisolatin3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3 | iso8859_3",
	"iso-8859-4 csisolatin4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4 | iso8859_4",
	"iso-8859-5 csisolatincyrillic cyrillic iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988 | iso8859_5",
	`iso-8859-6 arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6
		iso_8859-6:1987 | iso8859_6 iso_8859-6-e iso_8859-6-i`,
	"iso-8859-7 csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 sun_eu_greek | iso8859_7",
	`iso-8859-8 csiso88598e csiso88598i csisolatinhebrew hebrew iso-8859-8-e iso-8859-8-i iso-ir-138 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988
		logical visual | iso8859_8 iso_8859-8-e iso_8859-8-i`,
	"iso-8859-10 csisolatin6 iso-ir-157 iso8859-10 iso885910 l6 latin6 | iso8859_10 iso_8859-10 iso_8859-10:1992",
	"iso-8859-13 iso8859-13 iso885913 | iso8859_13 iso_8859-13",
	"iso-8859-14 iso8859-14 iso885914 | iso8859_14 iso_8859-14 iso_8859-14:1998",
	"iso-8859-15 csisolatin9 iso8859-15 iso885915 iso_8859-15 l9 | iso8859_15 iso_8859-15:1998 latin-9 latin9",
	"iso-8859-16 | iso8859-16 iso8859_16 iso885916 iso_8859-16 iso_8859-16:2001 latin10 l10",
	"koi8-r cskoi8r koi koi8 koi8_r",
	"koi8-u koi8-ru",
	"macintosh csmacintosh mac x-mac-roman",
	"x-mac-cyrillic x-mac-ukrainian",
	"x-user-defined",
	"ibm866 866 cp866 csibm866",
	"shift_jis csshiftjis ms932 ms_kanji shift-jis sjis windows-31j x-sjis | cp932",
	"euc-jp cseucpkdfmtjapanese x-euc-jp | eucjp",
	"iso-2022-jp csiso2022jp",
	"gb18030 chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk | euc-cn cp936 windows-936 cn-gb",
	"hz-gb-2312",
	"big5 big5-hkscs cn-big5 csbig5 x-x-big5 | cp950",
	"euc-kr cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949 | euckr cp949 uhc",
	"iso-2022-kr csiso2022kr",
	"utf-16",
	"utf-16be unicodefffe",
	"utf-16le csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff",
	"| utf-32 utf-32be ucs-4 iso-10646-ucs-4 csucs4",
	"| utf-32le",
	"| utf-7 unicode-1-1-utf-7 csunicode11utf7 csutf7 x-unicode-2-0-utf-7",
	"| ibm037 cp037 037 csibm037 ebcdic-cp-us ebcdic-cp-ca ebcdic-cp-wt ebcdic-cp-nl",
	"| ibm1047 cp1047 1047 csibm1047",
	"| ibm1140 ibm01140 cp1140 cp01140 1140 ccsid01140 csibm01140 ebcdic-us-37+euro",
	"| ibm437 cp437 437",
	"| ibm737 cp737 737 x-ibm737",
	"| ibm850 cp850 850",
	"| ibm852 cp852 852",
	"| ibm855 cp855 855 csibm855",
	"| ibm857 cp857 857 csibm857",
	"| ibm858 cp858 ibm00858",
	"| ibm860 cp860 860 csibm860",
	"| ibm862 cp862 862 cspc862latinhebrew dos-862",
	"| ibm863 cp863 863 csibm863",
	"| ibm865 cp865 865 csibm865",
	"| cp1125 ibm1125 1125 cp866u x-cp1125",
	"| x-mac-ce x-mac-centraleurroman mac-centraleurope maccentraleurope x-mac-central-europe cp10029",
}

// named returns the encoding of a charset by its name in charsets. It returns nil for UTF-8, ASCII and "".
func named(name string) encoding.Encoding {
	switch name {
	case "windows-1252":
		return charmap.Windows1252
	case "windows-1250":
		return charmap.Windows1250
	case "windows-1251":
		return charmap.Windows1251
	case "windows-1253":
		return charmap.Windows1253
	case "windows-1254":
		return charmap.Windows1254
	case "windows-1255":
		return charmap.Windows1255
	case "windows-1256":
		return charmap.Windows1256
	case "windows-1257":
		return charmap.Windows1257
	case "windows-1258":
		return charmap.Windows1258
	case "windows-874":
		return charmap.Windows874
	case "iso-8859-2":
		return charmap.ISO8859_2
	case "iso-8859-3":
		return charmap.ISO8859_3
	case "iso-8859-4":
		return charmap.ISO8859_4
	case "iso-8859-5":
		return charmap.ISO8859_5
	case "iso-8859-6":
		return charmap.ISO8859_6
	case "iso-8859-7":
		return charmap.ISO8859_7
	case "iso-8859-8":
		return charmap.ISO8859_8
	case "iso-8859-10":
		return charmap.ISO8859_10
	case "iso-8859-13":
		return charmap.ISO8859_13
	case "iso-8859-14":
		return charmap.ISO8859_14
	case "iso-8859-15":
		return charmap.ISO8859_15
	case "iso-8859-16":
		return charmap.ISO8859_16
	case "koi8-r":
		return charmap.KOI8R
	case "koi8-u":
		return charmap.KOI8U
	case "macintosh":
		return charmap.Macintosh
	case "x-mac-cyrillic":
		return charmap.MacintoshCyrillic
	case "x-mac-ce":
		return macCE
	case "x-user-defined":
		return charmap.XUserDefined
	case "shift_jis":
		return japanese.ShiftJIS
	case "euc-jp":
		return japanese.EUCJP
	case "iso-2022-jp":
		return japanese.ISO2022JP
	case "gb18030":
		return simplifiedchinese.GB18030 // its decoder also decodes GBK: Encoding Standard section 10.1.1
	case "hz-gb-2312":
		return simplifiedchinese.HZGB2312
	case "big5":
		return traditionalchinese.Big5
	case "euc-kr":
		return korean.EUCKR
	case "iso-2022-kr":
		return readOnly(newISO2022KR)
	case "utf-16", "utf-16be":
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	case "utf-16le":
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case "utf-32":
		return utf32.UTF32(utf32.BigEndian, utf32.UseBOM)
	case "utf-32le":
		return utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)
	case "utf-7":
		return readOnly(newUTF7)
	case "ibm037":
		return ebcdic{charmap.CodePage037}
	case "ibm1047":
		return ebcdic{charmap.CodePage1047}
	case "ibm1140":
		return ebcdic{charmap.CodePage1140}
	case "ibm437":
		return charmap.CodePage437
	case "ibm737":
		return cp737
	case "ibm850":
		return charmap.CodePage850
	case "ibm852":
		return charmap.CodePage852
	case "ibm855":
		return charmap.CodePage855
	case "ibm857":
		return cp857
	case "ibm858":
		return charmap.CodePage858
	case "ibm860":
		return charmap.CodePage860
	case "ibm862":
		return charmap.CodePage862
	case "ibm863":
		return charmap.CodePage863
	case "ibm865":
		return charmap.CodePage865
	case "ibm866":
		return charmap.CodePage866
	case "cp1125":
		return cp1125
	}
	return nil
}

// nameOf returns the name of the charset with that label, and whether browsers know the label. It returns "" for unknown labels. Only the row that has
// the label is split into words, since every request and every entry looks for a charset: a tenth of the time (BenchmarkLookup).
func nameOf(label string) (name string, web bool) {
	label = folded(label)
	if label == "" {
		return "", false
	}
	for _, row := range charsets {
		if !strings.Contains(row, label) {
			continue
		}
		name, web := "", true
		for word := range strings.FieldsSeq(row) {
			if word == "|" {
				web = false
				continue
			}
			if name == "" {
				name = word
			}
			if word == label {
				return name, web
			}
		}
	}
	return "", false
}

// Names returns all labels that Lookup knows, for messages.
func Names() []string {
	return slices.DeleteFunc(strings.Fields(strings.Join(charsets[:], " ")), func(word string) bool { return word == "|" })
}
