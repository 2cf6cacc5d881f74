// Command healthserver is a gRPC server for the manual: the standard health service, with reflection.
//
//	brewput run grpc --start './healthserver -port {port}' --target 127.0.0.1:{port} --method grpc.health.v1.Health/Check
package main

import (
	"context"
	"flag"
	"log"
	"net"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"
)

func main() {
	port := flag.Int("port", 50051, "port of 127.0.0.1 to listen on")
	delay := flag.Duration("delay", 0, "time that each reply takes in addition")
	flag.Parse()
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(*port)))
	if err != nil {
		log.Fatal(err)
	}

	s := grpc.NewServer(grpc.UnaryInterceptor(wait(*delay)))
	grpc_health_v1.RegisterHealthServer(s, health.NewServer())
	reflection.Register(s)
	log.Fatal(s.Serve(l))
}

// wait delays each reply.
func wait(d time.Duration) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		if d > 0 {
			time.Sleep(d)
		}
		return next(ctx, request)
	}
}
