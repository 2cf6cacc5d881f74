"""M/M/1 in SimPy: customers come at rate 0.9 and are served at rate 1, in the order of their coming.

Called with the number of customers and a seed, it prints the versions of SimPy and Python, the seconds that the
simulation took, the customers served and their mean time in the system.

Of SimPy's styles this is the fastest: one process for all arrivals and one for the server, and a Store between them
that has always room, so that nobody need wait for a put.
"""

import platform
import random
import sys
import time

import simpy


def mm1(customers, seed):
    env = simpy.Environment()
    line = simpy.Store(env)
    exponential = random.Random(seed).expovariate

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


began = time.perf_counter()
number, mean = mm1(int(sys.argv[1]), int(sys.argv[2]))
took = time.perf_counter() - began
print(simpy.__version__, platform.python_version(), took, number, mean)
