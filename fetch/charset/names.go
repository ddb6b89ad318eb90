package charset

// Names returns one label for each charset that Lookup knows, for messages and help.
func Names() []string {
	return []string{
		"utf-8", "us-ascii", "iso-8859-1", "iso-8859-2", "iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6", "iso-8859-7", "iso-8859-8", "iso-8859-9",
		"iso-8859-10", "iso-8859-11", "iso-8859-13", "iso-8859-14", "iso-8859-15", "iso-8859-16",
		"windows-874", "windows-1250", "windows-1251", "windows-1252", "windows-1253", "windows-1254", "windows-1255", "windows-1256", "windows-1257",
		"windows-1258", "koi8-r", "koi8-u", "macintosh", "x-mac-cyrillic", "x-mac-ce",
		"cp437", "cp737", "cp850", "cp852", "cp855", "cp857", "cp858", "cp860", "cp862", "cp863", "cp865", "cp866", "cp1125",
		"ibm037", "ibm1047", "ibm1140",
		"shift_jis", "euc-jp", "iso-2022-jp", "gb18030", "gbk", "gb2312", "hz-gb-2312", "big5", "euc-kr", "iso-2022-kr", "johab",
		"utf-7", "utf-16", "utf-16be", "utf-16le", "utf-32", "utf-32be", "utf-32le",
	}
}
