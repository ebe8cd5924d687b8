"""Serve one GGUF model on loopback in the OpenAI form, with llama.cpp in this process."""

import argparse
import os
import signal

import xllamacpp


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--model", required=True, help="path of the GGUF file")
    arguments.add_argument("--name", required=True, help="name the model is served under")
    arguments.add_argument("--port", required=True, type=int)
    arguments.add_argument("--threads", required=True, type=int)
    chosen = arguments.parse_args()

    # Blocked before the server starts its threads, so that they inherit the mask
    # and the signal reaches the wait below rather than one of them.
    stop_signals = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, stop_signals)

    parameters = xllamacpp.CommonParams()
    parameters.model.path = chosen.model
    parameters.model_alias = {chosen.name}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = chosen.port
    parameters.ui = False
    parameters.offline = True
    # Each of the two slots gets half of the context.
    parameters.n_ctx = 8192
    parameters.n_parallel = 2
    parameters.cpuparams.n_threads = chosen.threads
    parameters.cpuparams_batch.n_threads = chosen.threads

    server = xllamacpp.Server(parameters)
    print(f"serving {chosen.name} at {server.listening_address}", flush=True)
    signal.sigwait(stop_signals)
    # An orderly end would first finish the running completions; nobody waits for them.
    os._exit(0)


if __name__ == "__main__":
    main()
