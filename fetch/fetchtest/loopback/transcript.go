package loopback

import "slices"

// maxTranscript bounds what a server remembers: a server that is left running
// for days must not grow.
const maxTranscript = 10000

// Note adds one line to the transcript; lines beyond the bound are dropped.
func (s *Server) Note(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.log) < maxTranscript {
		s.log = append(s.log, line)
	}
}

// Transcript returns a copy of the lines noted so far. They include what was
// sent over connections that their clients have closed.
func (s *Server) Transcript() []string {
	s.sync()
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// Peers returns the number of connections opened so far.
func (s *Server) Peers() int {
	s.sync()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.peers
}
