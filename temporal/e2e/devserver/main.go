// Command devserver is a Temporal server to try machines with by hand. It keeps its data in a file.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/fsmc-dev/fsmc/temporal/e2e/lite"
)

func main() {
	database := flag.String("file", "temporal.db", "where it keeps its data")
	port := flag.Int("port", 7233, "where it listens, on 127.0.0.1")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s, err := lite.Start(lite.Config{Database: *database, Port: *port})
	if err != nil {
		fmt.Fprintln(os.Stderr, "devserver:", err)
		os.Exit(1)
	}
	fmt.Printf("export FSMC_DB=temporal://%s/default\n", s.Address)
	<-ctx.Done()
	if err := s.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "devserver:", err)
		os.Exit(1)
	}
}
