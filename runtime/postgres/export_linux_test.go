package postgres

// LimitSilence sets for how long the other end of a connection may be silent.
var LimitSilence = limitSilence
