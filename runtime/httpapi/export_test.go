package httpapi

// Streams is how many listen.
func (a *API) Streams() int { return int(a.streams.taken.Load()) }

// Listening reports whether the hub has a goroutine.
func (h *Hub) Listening() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stop != nil
}
