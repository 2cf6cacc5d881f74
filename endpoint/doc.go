// Package endpoint measures HTTP servers: any endpoint is a workload.
//
// A [Service] describes the requests, the checks of the replies, and the command that starts the server, if Brewput is
// to start it. [Service.Stream] is the constructor of a design: it starts the server, waits until it is ready, sends
// one request and checks its reply. The operation of the stream sends one request, reads the whole reply and checks it.
// Request i of a trial is always the same one, so compared servers get the same requests. [Workload] makes the workload
// http of options, which are flags of brewput run http.
//
// Safety: a connection goes to a loopback address unless the service allows its host. The rule is checked when the
// service is checked, for redirects, and for the resolved address of each connection. Proxies of the environment are
// not used.
package endpoint
