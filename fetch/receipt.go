package fetch

import "io"

// A Receipt is the result of sending a message.
type Receipt struct {
	Accepted []string          // recipients or groups
	Refused  map[string]string // recipient: the server's reason
	Reply    string            // the final reply
}

// A Terminal is one end of a session. Read of In must return when In is closed.
type Terminal struct {
	In      io.ReadCloser
	Out     io.Writer
	Type    string                  // as in TERM
	Size    func() (cols, rows int) // nil if unknown
	Resized <-chan struct{}         // nil if the size never changes
}
