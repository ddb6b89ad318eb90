package prospero

import (
	"fmt"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/frames"
	"example.org/deref/schemes/prospero/internal/wire"
)

// maxLines is how many lines of a message are shown.
const maxLines = 8

// decode puts an ARDP packet into words: its header, and the lines of the request or reply in it.
func decode(f fetch.Frame) (string, int) {
	h, data, err := wire.Decode(f.Data)
	if err != nil || !f.Datagram {
		return "", -1
	}
	words := fmt.Sprintf("ARDP connection %d", h.CID)
	switch {
	case h.Number == 0:
		words += " control"
	case h.Total == 0:
		words += fmt.Sprintf(" packet %d", h.Number)
	default:
		words += fmt.Sprintf(" packet %d of %d", h.Number, h.Total)
	}
	for _, x := range []struct {
		on   bool
		text string
	}{
		{h.Received != 0, fmt.Sprintf("received %d", h.Received)},
		{h.Wait != 0, fmt.Sprintf("wait %d s", h.Wait)},
		{h.Flags&wire.PleaseAck != 0, "please acknowledge"},
		{h.Flags&wire.WindowFollows != 0, fmt.Sprintf("window %d", h.Window)},
		{h.Option == wire.Refused && f.Dir == fetch.FromClient, "canceled"},
		{h.Option == wire.Refused && f.Dir == fetch.FromServer, "refused"},
		{h.Option == wire.ResetReceived, "reset received"},
		{h.Option == wire.Redirected || h.Option == wire.RedirectNotify, "redirected"},
	} {
		if x.on {
			words += ", " + x.text
		}
	}
	return words + lineWords(data), len(f.Data)
}

// lineWords quotes the first lines of a message.
func lineWords(data []byte) string {
	words, n := "", 0
	for line := range strings.Lines(strings.TrimRight(string(data), "\x00")) {
		if n++; n > maxLines {
			return words + fmt.Sprintf(" ... (%d bytes)", len(data))
		}
		words += " " + frames.Quote(strings.TrimRight(line, "\r\n"))
	}
	if words != "" {
		words = ":" + words
	}
	return words
}
