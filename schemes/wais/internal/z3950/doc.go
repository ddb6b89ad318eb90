// Package z3950 is the codec of WAIS: Z39.50-1988 as the WAIS programs use it, with their header of 25 bytes before every APDU. Client and test
// server share it. Only Reader does I/O. Errors are Malformed, TooLong, or those of the underlying reader.
//
// A frame is a header, an APDU whose own length does not include the user information, and the user information:
//
//	0000000038 z 2 wais       _ _ 0      length of what follows, Z39.50, version 2, server, no compression, no encoding, no checksum
//	00 16 16                             22 octets follow, PDU type 22: Search
//	00001e 001388 00001e 01              small, large, medium set; replace
//	11 00  12 04 "demo"  14 01 "3"       elements: result set name, database names, query type
//	63 0c { 6a 04 "tide" 6f 01 01 72 01 28 }   user information: seed words, date factor, at most 40 documents
//
// An element is a tag, a length (both compressed integers: base 128, most significant first, bit 7 set on every byte but the last)
// and a value. Text has no character set; in practice it is ISO Latin 1.
package z3950
