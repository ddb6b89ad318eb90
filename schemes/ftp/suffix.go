package ftp

import "strings"

// suffixOf returns the suffix of a name and what it means: "the data format of a file can only, in the general FTP case, be
// deduced from the name" (RFC 1630, FTP).
func (c *Config) suffixOf(name string) (suffix string, s Suffix) {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return "", s
	}
	suffix = strings.ToLower(name[i+1:])
	if s, ok := c.Suffixes[suffix]; ok {
		return suffix, s
	}
	s = builtin(suffix)
	if s.Type == "" {
		return "", s
	}
	return suffix, s
}

// builtin returns what the suffixes of public archives mean.
func builtin(suffix string) Suffix {
	switch suffix {
	case "txt", "text", "me", "readme", "asc", "log",
		"c", "h", "cc", "cpp", "go", "py", "pl", "sh", "for", "f", "pas", "java", "diff", "patch":
		return Suffix{"text/plain", true}
	case "html", "htm", "shtml":
		return Suffix{"text/html", true}
	case "css":
		return Suffix{"text/css", true}
	case "csv":
		return Suffix{"text/csv", true}
	case "md":
		return Suffix{"text/markdown", true}
	case "rtx":
		return Suffix{"text/richtext", true}
	case "tsv":
		return Suffix{"text/tab-separated-values", true}
	case "xml":
		return Suffix{"application/xml", true}
	case "json":
		return Suffix{"application/json", true}
	case "js":
		return Suffix{"text/javascript", true}
	case "ps", "eps", "ai":
		return Suffix{"application/postscript", true}
	case "tex", "latex", "ltx":
		return Suffix{"application/x-tex", true}
	case "eml", "mime":
		return Suffix{"message/rfc822", true}
	case "uu", "uue", "hqx", "shar":
		return encodedText(suffix)
	}
	return Suffix{binary(suffix), false}
}

// encodedText returns the types of archives that are encoded as text.
func encodedText(suffix string) Suffix {
	switch suffix {
	case "hqx":
		return Suffix{"application/mac-binhex40", true}
	case "shar":
		return Suffix{"application/x-shar", true}
	}
	return Suffix{"text/x-uuencode", true}
}

func binary(suffix string) string {
	switch suffix {
	case "gif", "png", "bmp", "webp":
		return "image/" + suffix
	case "jpg", "jpeg", "jpe":
		return "image/jpeg"
	case "tif", "tiff":
		return "image/tiff"
	case "svg":
		return "image/svg+xml"
	case "xbm":
		return "image/x-xbitmap"
	case "au", "snd":
		return "audio/basic"
	case "wav":
		return "audio/wav"
	case "mp3":
		return "audio/mpeg"
	case "mpg", "mpeg", "mpe":
		return "video/mpeg"
	case "mov", "qt":
		return "video/quicktime"
	case "pdf":
		return "application/pdf"
	case "dvi":
		return "application/x-dvi"
	case "rtf":
		return "application/rtf"
	case "z":
		return "application/x-compress"
	case "gz", "tgz":
		return "application/gzip"
	case "bz2":
		return "application/x-bzip2"
	case "xz":
		return "application/x-xz"
	case "zst":
		return "application/zstd"
	case "tar":
		return "application/x-tar"
	case "zip":
		return "application/zip"
	case "zoo", "arc", "lzh", "arj":
		return "application/x-" + suffix
	case "iso", "bin", "exe", "com", "img", "dmg", "deb", "rpm":
		return "application/octet-stream"
	}
	return ""
}
