"""Batches that run from lines to results, and their files.

This file is handwritten and copied into the client as it is: a run needs five requests of the generated core in the
right order, and a lost answer would make a second batch.
"""

import json
import os
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Union

from typing_extensions import Unpack

from sluice.core import Core
from sluice.error_classes import InvalidRequestError, ServerError
from sluice.errors import Fault, SluiceError, TimeoutError
from sluice.faults import end_of
from sluice.models.batch import Batch
from sluice.models.batch_request import BatchRequest
from sluice.models.chat_completion import ChatCompletion
from sluice.models.stored_file import StoredFile
from sluice.money import exact, json_of
from sluice.transport import Call, backoff, call_options, pages, sleep
from sluice.unions import Money

_RUN = "sluice_client_run"
"""In the metadata of a batch, so that a batch whose answer was lost is found instead of made again."""
_POLL = 2.0
_ENDED = ("completed", "expired", "cancelled", "failed")
_AMOUNTS = ("price_limit", "max_price", "max_charge_usd")

Source = Union[bytes, str, "os.PathLike[str]", IO[bytes]]
"""The bytes of a file, its path, or the open file."""


class Files:
    """The files of batches."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def upload(self, content: Source, name: str = "lines.jsonl", **options: Unpack[Call]) -> StoredFile:
        """Stores the lines of a batch."""
        with call_options(**options):
            return self._core.files.upload_file(file=(name, _bytes_of(content)), purpose="batch")

    def content(self, file_id: str, **options: Unpack[Call]) -> bytes:
        """The content of a file."""
        with call_options(**options):
            return bytes(self._core.files.get_file_content(file_id))

    def list(self, **options: Unpack[Call]) -> Iterator[StoredFile]:
        """All files, newest first."""
        yield from pages(lambda after: self._core.files.list_files(limit=100, after=after), options)


@dataclass(frozen=True)
class BatchLine:
    """One request of a batch: the body of a chat, or of another endpoint."""

    custom_id: str
    body: Mapping[str, Any]


@dataclass(frozen=True)
class BatchResult:
    """What a line became. Either ``body`` or ``error`` is None."""

    custom_id: str
    body: Optional[Dict[str, Any]]
    """The answer in the shape of the endpoint."""
    error: Optional[SluiceError]

    @property
    def completion(self) -> Optional[ChatCompletion]:
        """The answer to a chat."""
        return ChatCompletion.from_dict(self.body)


class Batches:
    """The batches of the account."""

    def __init__(self, core: Core, files: Files) -> None:
        self._core = core
        self._files = files

    def run(
        self,
        lines: Union[Sequence[BatchLine], Source],
        *,
        endpoint: str = "/v1/chat/completions",
        price_limit: Optional[Money] = None,
        max_wait: Optional[int] = None,
        deadline: Optional[int] = None,
        metadata: Optional[Mapping[str, str]] = None,
        on_progress: Optional[Callable[[Batch], None]] = None,
        **options: Unpack[Call],
    ) -> List[BatchResult]:
        """Sends lines, or a file of them, as a batch, waits until it ends, and returns what each line became, in order.

        ``on_progress`` learns of the batch now and then, and at its end.
        """
        content = _text_of(lines, endpoint)
        own = {**(metadata or {}), _RUN: str(uuid.uuid4())}
        learn = on_progress or (lambda batch: None)
        limit = None if price_limit is None else exact(price_limit)
        with call_options(**options):
            file = self._files.upload(content)
            fields: Dict[str, Any] = {"price_limit": limit, "max_wait": max_wait, "deadline": deadline}
            chosen = {name: value for name, value in fields.items() if value is not None}
            request = BatchRequest(input_file_id=file.id, endpoint=endpoint, metadata=own, **chosen)
            batch = self._create(request, file.created_at)
            while batch.status not in _ENDED:
                learn(batch)
                if not sleep(_POLL):
                    raise TimeoutError(f"The batch {batch.id} has not ended; ask for it again.", charged=None, retryable=True)
                batch = self.get(batch.id)
            learn(batch)
            if batch.status == "failed":
                faults = " ".join(each.message for each in (batch.errors.data if batch.errors else []))
                fault: Fault = {"code": "batch_error"}
                raise InvalidRequestError(f"The batch {batch.id} was refused: {faults}", fault=fault)
            return self._results(batch, [line["custom_id"] for line in _lines_of(content)])

    def get(self, batch_id: str, **options: Unpack[Call]) -> Batch:
        """The batch with this id."""
        with call_options(**options):
            return self._core.batches.get_batch(batch_id)

    def cancel(self, batch_id: str, **options: Unpack[Call]) -> Batch:
        """Ends the lines that wait; those that run finish."""
        with call_options(**options):
            return self._core.batches.cancel_batch(batch_id)

    def list(self, **options: Unpack[Call]) -> Iterator[Batch]:
        """All batches, newest first."""
        yield from pages(lambda after: self._core.batches.list_batches(limit=100, after=after), options)

    def _create(self, request: BatchRequest, since: int) -> Batch:
        """Makes a batch once: when no answer came, it looks among those since its file was stored before it tries again."""
        failures = 0
        while True:
            try:
                return self._core.batches.create_batch(request)
            except SluiceError as error:
                # Something before the gateway answered, or nothing, or the gateway failed.
                is_open = error.type is None or (error.status or 0) >= 500
                if not (is_open and failures < self._core.max_retries and sleep(backoff(failures))):
                    raise
            failures += 1
            for batch in self.list():
                if (batch.metadata or {}).get(_RUN) == (request.metadata or {})[_RUN]:
                    return batch
                if batch.created_at < since:
                    break

    def _results(self, batch: Batch, names: Sequence[str]) -> List[BatchResult]:
        """The output and the error file, in the order of the lines."""
        results: Dict[str, BatchResult] = {}
        for file_id in (batch.output_file_id, batch.error_file_id):
            for line in _lines_of(self._files.content(file_id)) if file_id else []:
                results[line["custom_id"]] = _result_of(line)
        missing = ServerError("The line has no result.", fault={"code": "no_result"})
        return [results.get(name) or BatchResult(name, None, missing) for name in names]


def _result_of(line: Dict[str, Any]) -> BatchResult:
    error, response = line.get("error"), line.get("response") or {}
    # Only an order whose answer is no longer stored was charged without one.
    failure = end_of(None, error, error["code"] == "result_unavailable") if error else None
    return BatchResult(line["custom_id"], response.get("body"), failure)


def _text_of(lines: Union[Sequence[BatchLine], Source], endpoint: str) -> bytes:
    if not isinstance(lines, Sequence) or isinstance(lines, (str, bytes)):
        return _bytes_of(lines)
    parts = {"method": "POST", "url": endpoint}
    return "".join(f"{json_of({'custom_id': each.custom_id, **parts, 'body': _wire(each.body)})}\n" for each in lines).encode()


def _wire(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """The body with its amounts as numbers, where ``place`` takes strings, too."""
    return {name: exact(body[name]) if name in _AMOUNTS and isinstance(body[name], str) else body[name] for name in body}


def _bytes_of(source: Source) -> bytes:
    if isinstance(source, bytes):
        return source
    if isinstance(source, (str, os.PathLike)):
        return Path(source).read_bytes()
    return source.read()


def _lines_of(content: bytes) -> List[Dict[str, Any]]:
    return [json.loads(line) for line in content.splitlines() if line.strip()]
