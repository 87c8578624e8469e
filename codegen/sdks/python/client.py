"""A client of one gateway.

It is handwritten and copied into the client as it is: the generated core has an object per group of operations and no
resources that live longer than a request.
"""

import os
import re
from urllib.parse import urlsplit

from typing_extensions import Unpack

from sluice.api_client import ApiClient
from sluice.batches import Batches, Files
from sluice.configuration import Configuration
from sluice.core import Core
from sluice.market import Market
from sluice.orders import Orders
from sluice.transport import Options, Transport


class Sluice:
    """A client of one gateway. Its threads may share it."""

    def __init__(self, **options: Unpack[Options]) -> None:
        address = (options.get("base_url") or os.environ.get("SLUICE_BASE_URL") or "http://127.0.0.1:8080").strip()
        if urlsplit(address).scheme not in ("http", "https") or not urlsplit(address).hostname:
            raise ValueError(f"base_url is {address!r}, which is not an address such as http://127.0.0.1:8080.")
        key = (options.get("api_key", os.environ.get("SLUICE_KEY")) or "").strip() or None
        unknown = options.keys() - Options.__annotations__
        if unknown:
            raise TypeError(f"A client has no option {', '.join(sorted(unknown))}.")
        configuration = Configuration(host=re.sub(r"(/v1)?/*$", "", address), access_token=key)
        configuration.proxy = options.get("proxy", configuration.proxy)
        client = ApiClient(configuration)
        client.set_default_header("X-Strict", str(options.get("strict", True)).lower())  # type: ignore[no-untyped-call]
        client.rest_client = Transport(configuration, options)
        self.api = Core(client, options.get("max_retries", 2))
        """Every operation, with the same retries and errors; its options are those of ``call_options``."""
        self.orders = Orders(self.api)
        """Orders that are placed once, and followed, repriced and collected."""
        self.files = Files(self.api)
        self.batches = Batches(self.api, self.files)
        self.market = Market(self.api)
