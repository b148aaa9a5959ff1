"""pure-ldp's clients and servers: prints {work: items a second of CPU time} as JSON. Domain 1,024, epsilon 1."""

import json
import time
import warnings

warnings.simplefilter("ignore")

from pure_ldp.frequency_oracles.direct_encoding import DEClient, DEServer
from pure_ldp.frequency_oracles.hadamard_response import HadamardResponseClient, HadamardResponseServer
from pure_ldp.frequency_oracles.local_hashing import LHClient, LHServer
from pure_ldp.frequency_oracles.rappor import RAPPORClient, RAPPORServer
from pure_ldp.frequency_oracles.unary_encoding import UEClient, UEServer

D = 1024


def rate(count, work):
    start = time.process_time()
    work()
    return count / (time.process_time() - start)


def measure(name, client, server, count, finish=None):
    data = [i * 7919 % D + 1 for i in range(count)]
    reports = []

    def clients():
        reports.extend(map(client.privatise, data))

    out = {f"client/{name}": rate(count, clients)}
    server_reports = reports[:200] if name == "olh" else reports * (1 if name == "oue" else 4)

    def aggregate():
        server.aggregate_all(server_reports)
        if finish:
            finish()

    out[f"collector/{name}"] = rate(len(server_reports), aggregate)
    return out


def main():
    values = {}
    values |= measure("response", DEClient(1, D), DEServer(1, D), 200000)
    values |= measure("oue", UEClient(1, D, use_oue=True), UEServer(1, D, use_oue=True), 5000)
    values |= measure("olh", LHClient(1, D, use_olh=True), LHServer(1, D, use_olh=True), 20000)
    hadamard = HadamardResponseServer(1, D)
    client = HadamardResponseClient(1, D, hadamard.get_hash_funcs())
    values |= measure("hadamard", client, hadamard, 50000)
    # (1 - f/2)/(f/2) to the power of 2 k is e at k = 2 hash functions.
    f = 2 / (1 + 2.718281828459045 ** 0.25)
    rappor = RAPPORServer(f, 128, 2, D)
    values |= measure("rappor", RAPPORClient(f, 128, rappor.get_hash_funcs()), rappor, 10000)
    print(json.dumps(values))


main()
