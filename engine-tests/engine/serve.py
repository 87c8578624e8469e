"""
Serves a model with llama.cpp's own HTTP server, on loopback: python serve.py MODEL.gguf PORT SLOTS CONTEXT_LENGTH [TEMPLATE]

`xllamacpp` brings that server prebuilt; it runs in threads of this process and ends with it.
TEMPLATE is a file with a chat template instead of the model's own.
"""

import signal
import sys
from pathlib import Path

import xllamacpp


def main(model: str, port: str, slots: str, context_length: str, template: str = "") -> None:
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.hostnames = ["127.0.0.1"]
    params.port = int(port)
    params.n_parallel = int(slots)
    # The server divides it among the slots.
    params.n_ctx = int(slots) * int(context_length)
    # Threads that wait for each other in a loop: with more than one, a machine that is busy elsewhere slows them down.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.use_jinja = True
    if template:
        params.chat_template = Path(template).read_text()
    params.endpoint_metrics = True
    params.endpoint_slots = True
    server = xllamacpp.Server(params)
    print(f"listening on {server.listening_address}", flush=True)
    signal.pause()


main(*sys.argv[1:])
