"""What bench-sim measures of SimPy.

mm1: customers come at rate 0.9 and are served at rate 1, in the order of their coming. sleep: processes that do nothing
but sleep, for exponential times of mean 1.

Called with the model, the number of processes (of sleep), the number of customers or of times that all sleep together,
and a seed, it prints the versions of SimPy and Python, the seconds that the simulation took, how many there were, and
their mean time in the system or asleep.

Of SimPy's styles for mm1 this is the fastest: one process for all arrivals and one for the server, and a Store between
them that has always room, so that nobody need wait for a put.
"""

import platform
import random
import sys
import time

import simpy


def mm1(_, customers, exponential):
    env = simpy.Environment()
    line = simpy.Store(env)

    def arrivals():
        timeout, put = env.timeout, line.put
        for _ in range(customers):
            yield timeout(exponential(0.9))
            put(env.now)

    def server():
        served, total = 0, 0.0
        timeout, get = env.timeout, line.get
        for _ in range(customers):
            came = yield get()
            yield timeout(exponential(1.0))
            served += 1
            total += env.now - came
        return served, total / served

    env.process(arrivals())
    return env.run(env.process(server()))


def sleep(processes, times, exponential):
    env = simpy.Environment()
    total = 0.0

    def sleeper():
        nonlocal total
        timeout = env.timeout
        for _ in range(times // processes):
            d = exponential(1.0)
            total += d
            yield timeout(d)

    for _ in range(processes):
        env.process(sleeper())
    env.run()
    return times, total / times


model, size, number, seed = {"mm1": mm1, "sleep": sleep}[sys.argv[1]], *map(int, sys.argv[2:])
began = time.perf_counter()
number, mean = model(size, number, random.Random(seed).expovariate)
took = time.perf_counter() - began
print(simpy.__version__, platform.python_version(), took, number, mean)
