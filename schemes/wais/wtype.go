package wais

import "strings"

// mediaType returns the media type of a WAIS type.
func mediaType(wtype string) string {
	switch strings.ToUpper(wtype) {
	case "TEXT":
		return "text/plain"
	case "HTML":
		return "text/html"
	case "WSRC":
		return "application/x-wais-source"
	case "GIF":
		return "image/gif"
	case "JPEG", "JFIF":
		return "image/jpeg"
	case "TIFF":
		return "image/tiff"
	case "PICT":
		return "image/x-pict"
	case "PPM":
		return "image/x-portable-pixmap"
	case "PS":
		return "application/postscript"
	case "DVI":
		return "application/x-dvi"
	case "MIME":
		return "message/rfc822"
	case typeURL:
		return ""
	}
	return "application/octet-stream"
}

// typeURL is the type of a document whose headline is its address.
const typeURL = "URL"
