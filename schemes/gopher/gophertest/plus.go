package gophertest

import "io"

func (s *Server) asks(string) bool { return false }

func (s *Server) answerPlus(w *writer, q request) {
	io.WriteString(w, "--1\r\n1 <gophertest@localhost>\r\nnot yet\r\n.\r\n")
}
