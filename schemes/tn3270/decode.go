package tn3270

import (
	"fmt"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/frames"
	"example.org/deref/schemes/internal/nvt"
	"golang.org/x/text/encoding/charmap"
)

// decode puts telnet's commands and 3270 records into words. What a user types is not shown, since it may go into a field that the host does not
// display: only where, and how much.
func decode(f fetch.Frame) (string, int) {
	return nvt.Decode(f.Data, func(p []byte) string { return recordWords(p, f.Dir == fetch.FromServer) })
}

// recordWords returns a record with or without the header of TN3270E (RFC 2355 section 8.1). No command and no attention identifier in use is
// as small as the types of messages.
func recordWords(p []byte, host bool) string {
	head := ""
	if len(p) >= 5 && p[0] <= 7 && p[1] <= 2 && p[2] <= 2 {
		head = fmt.Sprintf("%s %d: ", [...]string{"3270-DATA", "SCS-DATA", "RESPONSE", "BIND-IMAGE", "UNBIND", "NVT-DATA", "REQUEST", "SSCP-LU-DATA"}[p[0]],
			int(p[3])<<8|int(p[4]))
		if p[0] != data3270 {
			return fmt.Sprintf("%s%d bytes", head, len(p)-5)
		}
		p = p[5:]
	}
	switch {
	case len(p) == 0:
		return head + "empty record"
	case host:
		return head + commandWords(p)
	}
	return head + inboundWords(p)
}

// commandWords returns a command of the host (GA23-0059 chapter 3).
func commandWords(p []byte) string {
	name := ""
	switch command(p[0]) {
	case cmdWrite:
		name = "Write"
	case cmdEraseWrite:
		name = "Erase/Write"
	case cmdEraseWriteAlt:
		name = "Erase/Write Alternate"
	case cmdEraseUnprotected:
		return "Erase All Unprotected"
	case cmdReadBuffer:
		return "Read Buffer"
	case cmdReadModified:
		return "Read Modified"
	case cmdReadModifiedAll:
		return "Read Modified All"
	case cmdWriteStructured:
		return fmt.Sprintf("Write Structured Field, %d bytes", len(p)-1)
	default:
		return fmt.Sprintf("command 0x%02x, %d bytes", p[0], len(p)-1)
	}
	if len(p) < 2 {
		return name
	}
	for _, x := range []struct {
		bit  byte
		word string
	}{{wccAlarm, "alarm"}, {wccUnlock, "unlock"}, {wccResetMDT, "reset MDT"}} {
		if p[1]&x.bit != 0 {
			name += " [" + x.word + "]"
		}
	}
	return name + orderWords(p[2:], true)
}

// inboundWords returns what a key sends: its name, the cursor, and the fields with the number of their characters.
func inboundWords(p []byte) string {
	name := keyName(p[0])
	if p[0] == aidSF {
		return fmt.Sprintf("%s, %d bytes", name, len(p)-1)
	}
	if len(p) < 3 {
		return name
	}
	return fmt.Sprintf("%s cursor %d", name, addressOf(p[1:])) + orderWords(p[3:], false)
}

func keyName(aid byte) string {
	switch aid {
	case aidEnter:
		return "Enter"
	case aidClear:
		return "Clear"
	case aidPA1:
		return "PA1"
	case aidPA2:
		return "PA2"
	case aidPA3:
		return "PA3"
	case aidSF:
		return "structured field"
	case noAID:
		return "no key"
	}
	for n := 1; n <= 24; n++ {
		if aidPF(n) == aid {
			return fmt.Sprintf("PF%d", n)
		}
	}
	return fmt.Sprintf("key 0x%02x", aid)
}

// addressOf returns a buffer address: 12 bits in two bytes of six, or 14 bits.
func addressOf(b []byte) int {
	if b[0]&0xc0 == 0 {
		return int(b[0])<<8 | int(b[1])
	}
	return int(b[0]&0x3f)<<6 | int(b[1]&0x3f)
}

// orderWords returns the orders (GA23-0059 chapter 4), and between them the text, or only its length.
func orderWords(p []byte, text bool) string {
	var b strings.Builder
	var run []byte
	flush := func() {
		if len(run) > 0 && text {
			b.WriteString(" " + frames.Quote(ebcdic(run)))
		} else if len(run) > 0 {
			fmt.Fprintf(&b, " %d characters", len(run))
		}
		run = run[:0]
	}
	for len(p) > 0 && b.Len() < 1000 {
		if !text && p[0] == orderGE && len(p) > 1 { // a character that the user has typed
			run, p = append(run, p[1]), p[2:]
			continue
		}
		words, n := order(p)
		if n == 0 {
			run, p = append(run, p[0]), p[1:]
			continue
		}
		flush()
		if n > len(p) {
			b.WriteString(" incomplete order")
			break
		}
		b.WriteString(" " + words)
		p = p[n:]
	}
	flush()
	return b.String()
}

// order returns the order at the beginning of p and its length: 0 if it is a character, more than p has if it is incomplete.
func order(p []byte) (words string, n int) {
	lengths := map[byte]int{orderPT: 1, orderIC: 1, orderSF: 2, orderSBA: 3, orderEUA: 3, orderSA: 3, orderRA: 4, orderSFE: 2, orderMF: 2, orderGE: 2}
	if n = lengths[p[0]]; n == 0 || n > len(p) {
		return "", n
	}
	switch p[0] {
	case orderPT:
		return "PT", n
	case orderIC:
		return "IC", n
	case orderSF:
		return "SF" + attributeWords(p[1]), n
	case orderSBA:
		return fmt.Sprintf("SBA %d", addressOf(p[1:])), n
	case orderEUA:
		return fmt.Sprintf("EUA %d", addressOf(p[1:])), n
	case orderSA:
		return fmt.Sprintf("SA %02x=%02x", p[1], p[2]), n
	case orderGE:
		return fmt.Sprintf("GE 0x%02x", p[1]), n
	case orderRA:
		return fmt.Sprintf("RA %d 0x%02x", addressOf(p[1:]), p[3]), n
	}
	n += 2 * int(p[1]) // SFE and MF: pairs
	words = map[byte]string{orderSFE: "SFE", orderMF: "MF"}[p[0]]
	for i := 2; i+1 < min(n, len(p)); i += 2 {
		if p[i] == typeField {
			words += attributeWords(p[i+1])
		} else {
			words += fmt.Sprintf(" %02x=%02x", p[i], p[i+1])
		}
	}
	return words, n
}

// attributeWords returns the bits of a field attribute (GA23-0059 section 4.4.1).
func attributeWords(c byte) (words string) {
	if c&protected != 0 {
		words += " protected"
	}
	if c&numeric != 0 {
		words += " numeric"
	}
	switch c & display {
	case intense:
		words += " bright"
	case hidden:
		words += " hidden"
	}
	return words
}

// ebcdic decodes characters. It does not know the code page, but all code pages have the same letters and digits.
func ebcdic(p []byte) string {
	s, _ := charmap.CodePage037.NewDecoder().Bytes(p) // every byte has a character
	return string(s)
}
