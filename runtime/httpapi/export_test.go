package httpapi

// Streams is how many listen.
func (a *API) Streams() int { return int(a.streams.taken.Load()) }

// Hub follows the steps of all runs.
func (a *API) Hub() *hub { return a.hub }

// What listens to the feed without HTTP.
const FromNow = fromNow

var (
	NewHub    = newHub
	ErrMissed = errMissed
	PathOf    = pathOf
)

// Listening reports whether the hub has a goroutine.
func (h *hub) Listening() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stop != nil
}
