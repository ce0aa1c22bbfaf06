package all

//go:generate go run ../internal/gen
//go:generate go run ../internal/reference
