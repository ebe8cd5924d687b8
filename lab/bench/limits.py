"""Two servers, many clients of one key, one limit: counts what both servers accept together.

    limits.py path/to/ibidem [--seconds 300] [--clients 200] [--per-minute 60]

It needs the settings of a running stack in the environment and a migrated database. It exits with 1 when the accepted
requests differ from the limit by more than 2 %.
"""

import argparse
import http.client
import os
import socket
import subprocess
import sys
import threading
import time


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("ibidem")
    arguments.add_argument("--seconds", type=float, default=300)
    arguments.add_argument("--clients", type=int, default=200)
    arguments.add_argument("--per-minute", type=int, default=60)
    arguments = arguments.parse_args()

    made = subprocess.run(
        [arguments.ibidem, "key", "create", "--name", "limits"], check=True, capture_output=True, text=True)
    key = made.stdout.split()[0]
    ports = [free_port(), free_port()]
    environment = dict(os.environ, IBIDEM__LIMITS__KEY__REQUESTS_PER_MINUTE=str(arguments.per_minute))
    servers = [
        subprocess.Popen([arguments.ibidem, "serve"], env=dict(environment, IBIDEM__SERVER__LISTEN=f"127.0.0.1:{port}"),
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for port in ports
    ]
    try:
        for port in ports:
            wait_for(port)
        accepted, others = run(ports, key, arguments)
    finally:
        for server in servers:
            server.terminate()
    allowed = arguments.per_minute * arguments.seconds / 60
    print(f"{accepted} of {allowed:.0f} requests accepted in {arguments.seconds:.0f} s by two servers; refused: {others}")
    return 0 if abs(accepted - allowed) <= allowed * 0.02 else 1


def wait_for(port):
    for _ in range(600):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/readyz")
            if connection.getresponse().status == 200:
                return
        except OSError:
            pass
        time.sleep(0.1)
    raise SystemExit(f"the server at port {port} is not ready")


def run(ports, key, arguments):
    counts, lock = {}, threading.Lock()
    ends = time.monotonic() + arguments.seconds

    def ask(port):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        while time.monotonic() < ends:
            try:
                connection.request("GET", "/v1/conversations", headers={"authorization": f"Bearer {key}"})
                response = connection.getresponse()
                response.read()
                status = response.status
            except OSError:
                connection.close()
                status = 0
            with lock:
                counts[status] = counts.get(status, 0) + 1
            time.sleep(1)

    clients = [threading.Thread(target=ask, args=(ports[client % 2],)) for client in range(arguments.clients)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    return counts.pop(200, 0), counts


if __name__ == "__main__":
    sys.exit(main())
